import { lateStream, type LateEvent, type WayBack } from '#shared/domain/late/events.ts';
import { leg } from '#shared/domain/operation/testing/given.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';

type Place = { operationId: string; shopId: string };

const about = ({ operationId, shopId }: Place) => ({
  operation_id: operationId,
  shop_id: shopId,
  merchant_id: 'merchant',
  attempt: 1,
  provider: 'sandbox',
  currency: 'RUB',
});

/** Records a return of 30.00 after the terminal status, 5.00 more than was received. */
export const recordReturn = (
  store: EventStore,
  { kind, ...place }: Place & { kind: WayBack },
): Promise<void> =>
  record(store, place, {
    type: 'MoneyReturned',
    data: {
      ...about(place),
      kind,
      of_leg_id: 'l1',
      leg: { leg_id: 'b1', amount: '30.00', completed_at: '2026-02-01T12:00:00.000Z' },
      beyond: '5.00',
    },
  });

/** Records money that came after the terminal status. */
export const recordLateMoney = (
  store: EventStore,
  { amount, ...place }: Place & { amount: string },
): Promise<void> =>
  record(store, place, {
    type: 'LateMoneyReceived',
    data: { ...about(place), leg: leg('late-1', amount) },
  });

async function record(store: EventStore, { operationId }: Place, event: LateEvent): Promise<void> {
  const result = await store.append({
    stream: lateStream(operationId),
    expectedRevision: -1,
    events: toNewEvents([event], { actor: 'provider:sandbox', correlationId: operationId }),
  });
  if (result.outcome !== 'appended') throw new Error(`not appended: ${result.outcome}`);
}
