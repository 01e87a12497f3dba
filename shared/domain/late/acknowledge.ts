import type { LateEvent } from './events.ts';
import type { LateState } from './state.ts';

type Acknowledgement = { operationId: string; shopId: string; entryId: string; note: string };

/**
 * Records once that an operator acknowledges a contradicting end. `resolution_conflict`: it was
 * acknowledged with another text.
 */
export function acknowledge(
  state: LateState,
  { operationId, shopId, entryId, note }: Acknowledgement,
): { events: LateEvent[] } | { refusal: 'resolution_conflict' } {
  const before = state.acknowledged[entryId];
  if (before !== undefined)
    return before === note ? { events: [] } : { refusal: 'resolution_conflict' };
  const data = { operation_id: operationId, shop_id: shopId, entry_id: entryId, note };
  return { events: [{ type: 'LateStatusAcknowledged', data }] };
}
