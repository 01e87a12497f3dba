import type { AuditReport } from '#services/audit/testing/run-audit.ts';
import type { Matched } from './match.ts';

const told =
  /^statements of providers: (?<days>\d+) days, (?<confirmed>\d+) lines confirmed, (?<open>\d+) findings open/;

/**
 * How the auditor's own reckoning, from the log alone, differs from the read models; undefined: not
 * at all.
 */
export function auditorDiffers(
  audit: AuditReport | undefined,
  matched: readonly Matched[],
): string | undefined {
  const figures = audit?.notes.map((note) => told.exec(note)?.groups).find((groups) => groups);
  const sum = (of: (each: Matched) => number) =>
    matched.reduce((total, each) => total + of(each), 0);
  const wanted = {
    days: String(matched.length),
    confirmed: String(sum(({ confirmed }) => confirmed)),
    open: String(sum(({ found }) => found.length)),
  };
  const same =
    figures?.['days'] === wanted.days &&
    figures['confirmed'] === wanted.confirmed &&
    figures['open'] === wanted.open;
  return same
    ? undefined
    : `the auditor says ${JSON.stringify(figures)}, not ${JSON.stringify(wanted)}`;
}
