import { decodeLateEvent } from '#shared/domain/late/events.ts';
import type { StoredEvent } from '#shared/event-store/index.ts';
import type { SuspenseRow } from './table.ts';

/** The row of a late fact. Pure. @throws for an event that this version does not know */
export function projectLateFact(stored: StoredEvent): SuspenseRow {
  const { type, data } = decodeLateEvent(stored);
  const { operation_id, shop_id, merchant_id, provider, attempt } = data;
  const common = {
    entry_id: stored.id,
    operation_id,
    shop_id,
    merchant_id,
    provider,
    attempt,
    received_at: stored.created,
    revision: stored.revision,
    position: stored.position.toString(),
  };
  if (type === 'LateMoneyReceived') {
    const { currency, leg } = data;
    return {
      ...common,
      kind: 'late_money',
      currency,
      amount: leg.amount,
      leg_id: leg.leg_id,
      completed_at: new Date(leg.completed_at),
      reported_status: null,
      operation_status: null,
    };
  }
  return {
    ...common,
    kind: 'late_status',
    currency: null,
    amount: null,
    leg_id: null,
    completed_at: null,
    reported_status: data.reported_status,
    operation_status: data.operation_status,
  };
}
