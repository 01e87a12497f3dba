import type { AuditReport } from '#services/audit/testing/run-audit.ts';
import type { Planted } from '../plan/planned.ts';
import type { Matched } from './match.ts';

const told =
  /^statements of providers: (?<days>\d+) days, (?<confirmed>\d+) lines confirmed, (?<open>\d+) findings open/;

/** What the auditor does not judge: balances, and of which leg a return is. */
const unseen = ({ finding, how }: Planted): boolean => finding === 'balance_differs' || how === otherTransfer;
export const otherTransfer = 'money of another transfer';

/** How the auditor's own reckoning, from the log alone, differs from the read models; undefined: not at all. */
export function auditorDiffers(
  audit: AuditReport | undefined,
  { matched, planted }: { matched: readonly Matched[]; planted: readonly Planted[] },
): string | undefined {
  const figures = audit?.notes.map((note) => told.exec(note)?.groups).find((groups) => groups);
  const sum = (of: (each: Matched) => number) => matched.reduce((total, each) => total + of(each), 0);
  const others = planted.filter(({ how }) => how === otherTransfer).length;
  const wanted = {
    days: String(matched.length),
    confirmed: String(sum(({ confirmed }) => confirmed) + others),
    open: String(sum(({ found }) => found.length) - planted.filter(unseen).length),
  };
  const same =
    figures?.['days'] === wanted.days &&
    figures['confirmed'] === wanted.confirmed &&
    figures['open'] === wanted.open;
  return same ? undefined : `the auditor says ${JSON.stringify(figures)}, not ${JSON.stringify(wanted)}`;
}
