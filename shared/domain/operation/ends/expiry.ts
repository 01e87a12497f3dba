import { zero } from '../../money.ts';
import type { OperationEvent } from '../events.ts';
import { hasMoney, isTerminal, type OperationState } from '../state.ts';
import { closing } from './terminal-events.ts';

/**
 * Ends a payment whose payable window ran out without money (R6.7). A payout has no window: its
 * provider may still carry it out (R6.8).
 */
export function expireOperation(
  state: OperationState,
  nowIso: string,
): { events: OperationEvent[] } {
  if (state.phase !== 'admitted' || isTerminal(state.status)) return { events: [] };
  if (state.type === 'payout') return { events: [] };
  const expiresAt = state.accepted?.expiresAt;
  // A receipt under review may show a transfer that was made in time.
  const open = hasMoney(state) || state.receiptUnderReview !== undefined;
  if (expiresAt === undefined || nowIso < expiresAt || open) return { events: [] };
  return { events: [closing(state, 'expired', { received: zero, fresh: [] })] };
}
