import { ruleCodes, type RuleCode } from '#shared/domain/audit/rules.ts';

/** One violation, with all that an auditor needs to look it up. */
export type Finding = {
  rule: RuleCode;
  stream: string;
  revision?: number;
  position?: number;
  /** Whose books it is about, where it is one shop's. */
  shopId?: string;
  /** What is wrong, with its figures. */
  message: string;
};

export type Report = (finding: Finding) => void;

export type Findings = {
  report: Report;
  total(): number;
  /** How many there are of each rule that is violated. */
  counts(): Partial<Record<RuleCode, number>>;
  /** The first of each rule, as they were found. */
  kept(): readonly Finding[];
};

const keptPerRule = 200;

/**
 * Counts all, keeps the first of each rule, and tells of those as they are found. With `shopId`:
 * what is about another shop is left out; what is about the log as a whole is not.
 */
export function createFindings(onFinding: Report = () => undefined, shopId?: string): Findings {
  const counted = new Map<RuleCode, number>();
  const kept: Finding[] = [];
  return {
    report: (finding) => {
      // Empty: nobody knows whose it is.
      if (shopId !== undefined && (finding.shopId ?? '') !== '' && finding.shopId !== shopId)
        return;
      const count = (counted.get(finding.rule) ?? 0) + 1;
      counted.set(finding.rule, count);
      if (count > keptPerRule) return;
      kept.push(finding);
      onFinding(finding);
    },
    total: () => [...counted.values()].reduce((sum, count) => sum + count, 0),
    counts: () =>
      Object.fromEntries(
        ruleCodes.flatMap((code) => (counted.has(code) ? [[code, counted.get(code)]] : [])),
      ),
    kept: () => kept,
  };
}
