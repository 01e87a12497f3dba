import { payment } from '#services/merchant-api/testing/client.ts';
import { setUpShop } from '#services/merchant-api/testing/shop.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';

export type TestShop = Awaited<ReturnType<typeof givenShop>>;

/**
 * A shop in the log with a key, announced to every service; its routes are for payouts by card at
 * 1 % by default.
 */
export async function givenShop(store: EventStore, routes: readonly object[]) {
  const usual = { type: 'payout', commission: { percent: '1.00' } };
  const { secret, ...shop } = await setUpShop(store, {
    routes: routes.map((change) => ({ ...usual, ...change })),
  });
  return {
    ...shop,
    operationIdOf: (name: string) => operationIdFor(Buffer.from(secret, 'hex'), name),
  };
}

export const payoutBody = () => ({ ...payment(), number: '2200 1234 5678 9010' });
