import type { LateEvent } from './events.ts';
import type { LateState } from './record.ts';

export type Acknowledgement = { operationId: string; shopId: string; entryId: string; note: string };

/**
 * An operator takes note of a contradicting end, once; a repeat adds nothing.
 * `resolution_conflict`: it was noted with another text.
 */
export function acknowledge(
  state: LateState,
  { operationId, shopId, entryId, note }: Acknowledgement,
): { events: LateEvent[] } | { refusal: 'resolution_conflict' } {
  const before = state.acknowledged[entryId];
  if (before !== undefined) return before === note ? { events: [] } : { refusal: 'resolution_conflict' };
  const data = { operation_id: operationId, shop_id: shopId, entry_id: entryId, note };
  return { events: [{ type: 'LateStatusAcknowledged', data }] };
}
