import { isZero, sum, type Amount } from '../../money.ts';
import type { Leg, ReturnedMoney } from '../events.ts';
import { mayCountLegs, type Operation } from '../state.ts';
import { reportedEnd } from './end-of-report.ts';
import type { ProviderReport } from './report.ts';
import { uncounted } from './returns.ts';

/**
 * The facts of a report that came after the operation's end, or on an attempt that was not accepted
 * (R13.7). They never change the operation, and are recorded in the `late-` stream, for an
 * operator; their money is posted to suspense (R13.8).
 */
export type LateFact = { kind: 'late_money'; leg: Leg } | LateReturn | LateStatus;
/** Returned money, as far as the operation does not count it. */
type LateReturn = { kind: 'late_return'; returned: ReturnedMoney; amount: Amount };
type LateStatus = { kind: 'late_status'; status: ProviderReport['status'] };

export function lateFacts(
  state: Operation,
  report: ProviderReport,
  fresh: readonly Leg[],
): LateFact[] {
  return [
    ...fresh.map((leg): LateFact => ({ kind: 'late_money', leg })),
    ...lateReturns(state, report),
    ...lateStatus(state, report, fresh),
  ];
}

/** The status of a report that means another end than the operation has. */
export const lateStatus = (
  state: Operation,
  report: ProviderReport,
  fresh: readonly Leg[],
): LateStatus[] =>
  contradicts(state, report, fresh) ? [{ kind: 'late_status', status: report.status }] : [];

/**
 * Returned money that is not taken off any leg of the operation. While the operation is open that
 * is only what exceeds its leg.
 */
export function lateReturns(
  state: Operation,
  { attempt, returns = [] }: ProviderReport,
): LateFact[] {
  const counts = mayCountLegs(state, attempt);
  return returns
    .map((returned) => {
      const amount = counts ? uncounted(state, returned) : returned.amount;
      return { kind: 'late_return', returned, amount } as const;
    })
    .filter(({ amount }) => !isZero(amount));
}

/**
 * Whether a report means another end than the operation has. A repeat of the report that ended it
 * does not.
 */
function contradicts(state: Operation, report: ProviderReport, fresh: readonly Leg[]): boolean {
  if (report.status === 'open' || report.status === 'withdrawn' || report.status === state.status)
    return false;
  // An attempt that was not accepted is expected to end without money.
  if (state.accepted?.attempt !== report.attempt)
    return report.status === 'completed' || report.status === 'partially_completed';
  // An end without money contradicts a completed operation, whatever its legs add up to.
  if (state.status === 'completed' && (report.status === 'declined' || report.status === 'expired'))
    return true;
  // An operator's approval is not the provider's report: the legs reported since are that money.
  const reported = [...state.legs.filter(({ synthetic }) => !synthetic), ...fresh];
  const received = sum(reported.map((leg) => leg.amount));
  return (reportedEnd(state, report, received) ?? report.status) !== state.status;
}
