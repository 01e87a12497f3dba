import { writeShop } from '#infra/verify/harness/written-shop.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';

export type TestShop = {
  shopId: string;
  apiKey: string;
  operationIdOf(merchantOperationId: string): string;
};

const usualRoute = {
  type: 'payout',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  commission: { percent: '1.00' },
};

/**
 * A shop in the log with a key, known to every service; its routes are payouts by card at 1 % by
 * default.
 */
export async function givenShop(
  store: EventStore,
  routes: readonly object[],
  settings: { overdraft_limits?: { RUB?: string } } = {},
): Promise<TestShop> {
  const { shopId, apiKey, secret } = await writeShop(store, {
    settings: {
      name: 'Test',
      hosted_page: true,
      overdraft_limits: {},
      rate_limit: { per_second: 100, burst: 200 },
      ...settings,
    },
    routes: routes.map((change) => ({ ...usualRoute, ...change })),
    metadata: { correlation_id: newId(), actor: 'service:test', schema_version: 1 },
  });
  return {
    shopId,
    apiKey,
    operationIdOf: (name) => operationIdFor(Buffer.from(secret, 'hex'), name),
  };
}

export const payoutBody = () => ({
  merchant_operation_id: newId(),
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
  number: '2200 1234 5678 9010',
});
