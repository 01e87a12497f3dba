/** The outcome of an audit in one line. */
export type AuditSummary = {
  rules: number;
  /** Rules that had something to check. */
  checked: number;
  /** Rules that had nothing to check. */
  not_applicable: number;
  violated: number;
  findings: number;
};

export function summarizeRules(
  rules: readonly { checked: number; violations: number }[],
): AuditSummary {
  const applicable = rules.filter(({ checked, violations }) => checked > 0 || violations > 0);
  return {
    rules: rules.length,
    checked: applicable.length,
    not_applicable: rules.length - applicable.length,
    violated: rules.filter(({ violations }) => violations > 0).length,
    findings: rules.reduce((sum, { violations }) => sum + violations, 0),
  };
}

export function summaryText(
  { rules, checked, not_applicable: none, findings }: AuditSummary,
  language: 'ru' | 'en',
): string {
  return language === 'ru'
    ? `правил: ${rules}, проверено: ${checked}, неприменимо: ${none}, находок: ${findings}`
    : `rules: ${rules}, checked: ${checked}, not applicable: ${none}, findings: ${findings}`;
}
