import { lateStream, type LateEvent, type WayBack } from '#shared/domain/late/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';

/** Records a return of 30.00 after the terminal status, 5.00 more than was received. */
export async function recordReturn(
  store: EventStore,
  { operationId, shopId, kind }: { operationId: string; shopId: string; kind: WayBack },
): Promise<void> {
  const event: LateEvent = {
    type: 'MoneyReturned',
    data: {
      operation_id: operationId,
      shop_id: shopId,
      merchant_id: 'merchant',
      attempt: 1,
      provider: 'sandbox',
      currency: 'RUB',
      kind,
      of_leg_id: 'l1',
      leg: { leg_id: 'b1', amount: '30.00', completed_at: '2026-02-01T12:00:00.000Z' },
      beyond: '5.00',
    },
  };
  const result = await store.append({
    stream: lateStream(operationId),
    expectedRevision: -1,
    events: toNewEvents([event], { actor: 'provider:sandbox', correlationId: operationId }),
  });
  if (result.outcome !== 'appended') throw new Error(`not appended: ${result.outcome}`);
}
