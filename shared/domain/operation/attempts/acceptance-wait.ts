import { declined } from '../ends/terminal-events.ts';
import type { OperationEvent } from '../events.ts';
import type { OperationState } from '../state.ts';

/**
 * Ends a create that has no outcome when the acceptance wait is over: its process may have died.
 * A payment that a provider may have accepted is withdrawn; a payout becomes `pending`, and its
 * provider is polled (R7.6).
 */
export function rejectAbandoned(
  state: OperationState,
  nowIso: string,
): { events: OperationEvent[] } {
  if (state.phase !== 'admitted' || state.status !== 'creating' || nowIso < state.acceptUntil)
    return { events: [] };
  const open = state.attempts.at(-1);
  const unresolved: OperationEvent[] =
    open?.outcome === 'started' && open.dispatched
      ? [{ type: 'AttemptUnresolved', data: { attempt: open.attempt, cause: 'timeout' } }]
      : [];
  if (state.type === 'payout' && unresolved.length > 0) return { events: unresolved };
  return { events: [...unresolved, declined('acceptance_timeout')] };
}
