import { ruleCodes, type RuleCode } from '#shared/domain/audit/rules.ts';

/** One violation, with what an auditor needs to look it up. */
export type Finding = {
  rule: RuleCode;
  stream: string;
  revision?: number;
  position?: number;
  /** The shop that it is about, if it is about one. */
  shopId?: string;
  /** What is wrong, with its figures. */
  message: string;
};

export type Report = (finding: Finding) => void;

export type Findings = {
  report: Report;
  total(): number;
  /** The number of findings for each violated rule. */
  counts(): Partial<Record<RuleCode, number>>;
  /** The first findings of each rule, in the order found. */
  listed(): readonly Finding[];
};

const maxListedPerRule = 200;

/**
 * Counts all findings, lists the first of each rule, and reports those as they are found. With
 * `shopId`, findings about other shops are left out, and those about the whole log stay.
 */
export function createFindings(onFinding: Report = () => undefined, shopId?: string): Findings {
  const counted = new Map<RuleCode, number>();
  const listed: Finding[] = [];
  return {
    report: (finding) => {
      // Empty: the shop is unknown.
      if (shopId !== undefined && (finding.shopId ?? '') !== '' && finding.shopId !== shopId)
        return;
      const count = (counted.get(finding.rule) ?? 0) + 1;
      counted.set(finding.rule, count);
      if (count > maxListedPerRule) return;
      listed.push(finding);
      onFinding(finding);
    },
    total: () => [...counted.values()].reduce((sum, count) => sum + count, 0),
    counts: () =>
      Object.fromEntries(
        ruleCodes.flatMap((code) => (counted.has(code) ? [[code, counted.get(code)]] : [])),
      ),
    listed: () => listed,
  };
}
