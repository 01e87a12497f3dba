import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { listOperations } from '#projections/operations/query.ts';
import { append, appendHistories } from '#projections/testing/append.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { suspenseReadModel } from '#projections/suspense/read-model.ts';
import { createOperationsTables } from '#projections/testing/operations-tables.ts';
import { useOwnEventStore, useProjections } from '#projections/testing/stores.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { paidHistory, type History } from '#shared/domain/operation/testing/histories.ts';
import { leg } from '#shared/domain/operation/testing/given.ts';
import { countOverpaid } from './attention.ts';

const own = useOwnEventStore();
const { db, followTo } = await createOperationsTables(own);
const dayMs = 86_400_000;

const countAt = (nowMs: number) => countOverpaid(db, nowMs);

it('counts much more money than expected that arrived in the last days, for an older payment too (R12.18)', async () => {
  const { create, events } = paidHistory({ operationId: randomUUID() });
  const overpaid = events.map((event): OperationEvent =>
    event.type === 'OperationCompleted'
      ? { ...event, data: { ...event.data, actual_amount: '1000000.00' } }
      : event,
  );
  await followTo(await appendHistories(own.store, [{ create, events: overpaid }]));
  await sql`update gateway.operations set created_at = created_at - interval '30 days'`.execute(db);
  expect(await countAt(Date.now())).toBe(1);
  expect(await countAt(Date.now() + 8 * dayMs)).toBe(0);
});

it('counts and lists a payment with what arrived after its end (R12.18)', async () => {
  const before = await countAt(Date.now());
  const paid = [1, 2].map((number) =>
    paidHistory({ operationId: randomUUID(), merchantOperationId: `late-${number}` }),
  );
  await appendHistories(own.store, paid);
  const [twice, more] = paid.map(({ create }) => create.operationId);
  // Twice the expected amount is not more than that, and other currencies do not count.
  await appendLate(paid[0], ['RUB', 'USD']);
  await appendLate(paid[1], ['RUB', 'RUB']);
  useProjections({ db, store: own.store, models: [operationsReadModel, suspenseReadModel] });
  const late = sql<{ count: number }>`
    select count(*)::int as count from gateway.suspense join gateway.operations using (operation_id)`;
  const areAll = async () => (await late.execute(db)).rows[0]?.count === 4;
  await eventually('late money and its operations are in tables', areAll);
  const filter = { attention: 'overpaid', operationIds: [twice ?? '', more ?? ''] } as const;
  const { operations } = await listOperations(db, { filter, limit: 100 });
  expect(operations.map(({ operation_id: id }) => id)).toEqual([more]);
  expect(await countAt(Date.now())).toBe(before + 1);
  expect(await countAt(Date.now() + 8 * dayMs)).toBe(0);
});

/** All of the expected money arrives again after the end, once for each of the currencies. */
async function appendLate(history: History | undefined, currencies: string[]): Promise<void> {
  if (!history) return;
  const { operationId, shopId, merchantId, request } = history.create;
  const ids = { operation_id: operationId, shop_id: shopId, merchant_id: merchantId };
  const events = currencies.map((currency, index) => ({
    type: 'LateMoneyReceived',
    data: {
      ...ids,
      attempt: 1,
      provider: 'sandbox',
      currency,
      leg: leg(`l${index}`, request.amount),
    },
  }));
  await append(own.store, lateStream(operationId), { events });
}
