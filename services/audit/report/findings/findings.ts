import { ruleCodes, type RuleCode } from '#shared/domain/audit/rules.ts';

/** One violation, with what an auditor needs to look it up. */
export type AuditFinding = {
  rule: RuleCode;
  stream: string;
  revision?: number;
  position?: number;
  /** The shop that it is about, if it is about one. */
  shopId?: string;
  /** What is wrong, with its figures. */
  message: string;
};

export type Report = (finding: AuditFinding) => void;

/** Counts further findings of a rule, which are not listed. */
export type CountMore = (rule: RuleCode, count: number) => void;

export type Findings = {
  report: Report;
  countMore: CountMore;
  total(): number;
  /** The number of findings for each violated rule. */
  counts(): Partial<Record<RuleCode, number>>;
  /** The first findings of each rule, in the order found. */
  listed(): readonly AuditFinding[];
};

const maxListedPerRule = 200;

/**
 * Counts all findings, lists the first of each rule, and reports those as they are found. With
 * `shopId`, findings about other shops are left out, and those about the whole log stay.
 */
export function createFindings(onFinding: Report = () => undefined, shopId?: string): Findings {
  const counted = new Map<RuleCode, number>();
  const listed: AuditFinding[] = [];
  /** Further findings may be counted before the first one is listed. */
  const listedCounts = new Map<RuleCode, number>();
  const add = (rule: RuleCode, count: number) =>
    void counted.set(rule, (counted.get(rule) ?? 0) + count);
  return {
    report: (finding) => {
      // Empty: the shop is unknown.
      if (shopId !== undefined && (finding.shopId ?? '') !== '' && finding.shopId !== shopId)
        return;
      add(finding.rule, 1);
      const before = listedCounts.get(finding.rule) ?? 0;
      if (before >= maxListedPerRule) return;
      listedCounts.set(finding.rule, before + 1);
      listed.push(finding);
      onFinding(finding);
    },
    countMore: (rule, count) => {
      if (count > 0) add(rule, count);
    },
    total: () => [...counted.values()].reduce((sum, count) => sum + count, 0),
    counts: () =>
      Object.fromEntries(
        ruleCodes.flatMap((code) => (counted.has(code) ? [[code, counted.get(code)]] : [])),
      ),
    listed: () => listed,
  };
}
