import { compare, isZero, type Amount } from '../../money.ts';
import type { End } from '../ends/terminal-events.ts';
import type { Operation } from '../state.ts';
import type { ProviderReport } from './report.ts';
import { isAllReturned } from './returns.ts';

/**
 * The end that a report brings; undefined if the operation stays open. All the money that was
 * expected completes an operation, whatever status the provider reports (R6.4).
 */
export function reportedEnd(
  state: Operation,
  report: ProviderReport,
  received: Amount,
): End | undefined {
  const money = !isZero(received);
  const enough = compare(received, state.request.amount) >= 0;
  switch (report.status) {
    case 'open':
      return enough ? 'completed' : undefined;
    case 'completed':
    case 'partially_completed':
      if (money) return enough ? 'completed' : 'partially_completed';
      // Completed without money contradicts itself, unless all of it was returned: wait for the
      // provider's next report.
      return isAllReturned(report) ? 'declined' : undefined;
    case 'declined':
      return enough ? 'completed' : money ? 'partially_completed' : 'declined';
    case 'expired':
    case 'withdrawn':
      if (money) return enough ? 'completed' : 'partially_completed';
      // A review ends with a decision (R6.7), and only a payment has a window that can end.
      return state.type === 'payment' && state.status !== 'manual_check' ? 'expired' : 'declined';
  }
}
