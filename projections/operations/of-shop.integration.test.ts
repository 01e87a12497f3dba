import * as fc from 'fast-check';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { examinedBy, planOf } from '../testing/query-plan.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { createCompleteToReader } from '../as-of.ts';
import { appendHistories } from '../testing/append.ts';
import { createOperationsTables } from '../testing/operations-tables.ts';
import { useOwnEventStore } from '../testing/stores.ts';
import { listOperationsOfShop, oldestCreating, pageQuery, type ShopFilter } from './of-shop.ts';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { findExisting } from './find-existing.ts';
import { operationsReadModel } from './read-model.ts';
import type { OperationRow } from './table.ts';

const own = useOwnEventStore();
const { db, followTo } = await createOperationsTables(own);
const history = (shopId: string) =>
  paidHistory({ operationId: randomUUID(), merchantOperationId: randomUUID(), shopId });

beforeAll(async () => {
  await followTo(await appendHistories(own.store, [history('template')]));
});

/** Inserts N copies of the template row, with these values in the columns that lists filter by. */
const insertRows = async (
  shopId: string,
  { count, columns }: { count: number; columns: string },
) => {
  await sql`insert into gateway.operations select made.* from gateway.operations as template,
      generate_series(1, ${count}::int) as i, lateral jsonb_populate_record(template, jsonb_build_object(
        'operation_id', gen_random_uuid(), 'shop_id', ${shopId}::text, 'merchant_operation_id', 'bulk-' || i,
        ${sql.raw(columns)})) as made
    where template.shop_id = 'template'`.execute(db);
};

/** Rows that PostgreSQL read in the whole plan. */
const examined = async (filter: ShopFilter): Promise<number> => {
  const query = pageQuery({ shopId: 'big', filter, limit: 50 });
  const { steps } = await planOf(db, query);
  return examinedBy(steps.filter((step) => step['Node Type'].endsWith('Scan')));
};

describe('a page of a shop among many rows', () => {
  const count = 10_000;
  beforeAll(async () => {
    // Mostly completed payments; each pair of neighbours was created in the same
    // millisecond.
    const columns = `'client_id', 'client-' || (i % 125),
      'created_at', timestamptz '2026-01-01' + i / 2 * interval '1 second',
      'type', case when i % 2000 = 0 then 'payout' else 'payment' end,
      'status', case when i % 2500 = 7 then 'manual_check' when i % 1000 = 0 then 'declined' else 'completed' end`;
    for (const shop of ['big', 'other']) await insertRows(shop, { count, columns });
    await sql`analyze gateway.operations`.execute(db);
  });

  it.each<[ShopFilter, number]>([
    [{}, 51],
    [{ type: 'payment' }, 51],
    [{ type: 'payout' }, 5],
    [{ status: 'manual_check' }, 4],
    [{ status: 'expired' }, 0],
    [{ type: 'payout', status: 'manual_check' }, 0],
    [{ type: 'payout', status: 'declined' }, 5],
    [{ clientId: 'client-7' }, 51],
    [{ clientId: 'client-7', status: 'manual_check' }, 4],
    [{ merchantOperationId: 'bulk-77', type: 'payment' }, 1],
    [
      {
        createdFrom: new Date('2026-01-01T01:00:00Z'),
        createdBefore: new Date('2026-01-01T01:00:10Z'),
      },
      20,
    ],
  ])('is read with an index: %o (R10.13)', async (filter, rowCount) => {
    const page = await listOperationsOfShop(db, { shopId: 'big', filter, limit: 50 });
    expect(page.operations.length + (page.more ? 1 : 0)).toBe(rowCount);
    // The plan may read a page of each kind, but never all rows of the shop.
    expect(await examined(filter)).toBeLessThan(1_000);
  });
});

describe('a page of a shop that has most of the table, with few kinds', () => {
  beforeAll(async () => {
    await sql`delete from gateway.operations where shop_id <> 'template'`.execute(db);
    // Two statuses, and payouts only among the oldest rows: unless the query names the kinds, the
    // planner expects to find a page of any kind early.
    const columns = `'shop_id', case when i % 5 = 0 then 'other' else 'big' end, 'client_id', 'client-' || (i % 2),
      'created_at', timestamptz '2026-01-01' + i * interval '1 second',
      'type', case when i < 100 then 'payout' else 'payment' end,
      'status', case when i % 2 = 0 then 'declined' else 'completed' end`;
    await insertRows('big', { count: 25_000, columns });
    await sql`vacuum analyze gateway.operations`.execute(db);
  });

  it.each<[ShopFilter, number]>([
    [{ type: 'payout' }, 51],
    [{ status: 'manual_check' }, 0],
    [{ type: 'payout', status: 'expired' }, 0],
    [{ clientId: 'client-1', type: 'payout' }, 40],
    [{ clientId: 'client-1', status: 'declined' }, 0],
    [{ clientId: 'client-0', type: 'payout', status: 'completed' }, 0],
    [{ clientId: 'client-0', status: 'manual_check' }, 0],
  ])('is read with an index of the kind: %o (R10.13)', async (filter, rowCount) => {
    const page = await listOperationsOfShop(db, { shopId: 'big', filter, limit: 50 });
    expect(page.operations.length + (page.more ? 1 : 0)).toBe(rowCount);
    expect(await examined(filter)).toBeLessThan(1_000);
  });
});

describe('pages of a shop', () => {
  it('contain each match once, newest first, for any filter', async () => {
    const shopId = 'mixed';
    const statuses = ['creating', ...shownStatuses].map((status) => `'${status}'`).join();
    await insertRows(shopId, {
      count: 300,
      columns: `'client_id', 'client-' || (i % 3), 'created_at', timestamptz '2026-01-01' + i / 5 * interval '1 second',
        'type', (array['payment', 'payout'])[1 + i % 2], 'status', (array[${statuses}])[1 + i % 9]`,
    });
    const { rows: all } = await sql<OperationRow>`
      select * from gateway.operations where shop_id = ${shopId}
      order by created_at desc, operation_id desc`.execute(db);
    expect(await oldestCreating(db, shopId)).toBe(
      Math.min(
        ...all.filter(({ status }) => status === 'creating').map((row) => row.created_at.getTime()),
      ),
    );
    const time = fc
      .integer({ min: -1, max: 61 })
      .map((s) => new Date(Date.UTC(2026, 0, 1) + s * 1_000));
    const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
    const filters = fc.record({
      type: maybe(fc.constantFrom(...operationTypes)),
      status: maybe(fc.constantFrom(...shownStatuses)),
      clientId: maybe(fc.constantFrom('client-0', 'client-1', 'absent')),
      merchantOperationId: maybe(fc.constantFrom('bulk-1', 'bulk-9', 'bulk-1000')),
      createdFrom: maybe(time),
      createdBefore: maybe(time),
    });
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 3, max: 100 }), async (filter, limit) => {
        const expectedIds = all
          .filter((row) => matches(row, filter))
          .map(({ operation_id: id }) => id);
        const seen: string[] = [];
        let after: { createdAt: string; operationId: string } | undefined;
        for (let more = true; more;) {
          const page = await listOperationsOfShop(db, { shopId, filter, after, limit });
          seen.push(...page.operations.map(({ operation_id: id }) => id));
          const last = page.operations.at(-1);
          if (last)
            after = { createdAt: last.created_at.toISOString(), operationId: last.operation_id };
          more = page.more;
        }
        expect(seen).toEqual(expectedIds);
      }),
      { numRuns: 60, seed: 1 },
    );
  });
});

const matches = (row: OperationRow, filter: ShopFilter): boolean =>
  row.status !== 'creating' &&
  row.type === (filter.type ?? row.type) &&
  row.status === (filter.status ?? row.status) &&
  row.client_id === (filter.clientId ?? row.client_id) &&
  row.merchant_operation_id === (filter.merchantOperationId ?? row.merchant_operation_id) &&
  row.created_at >= (filter.createdFrom ?? row.created_at) &&
  (filter.createdBefore === undefined || row.created_at < filter.createdBefore);

describe('as_of', () => {
  const createdAt = async () => {
    const { rows } = await sql<{ at: Date }>`
      select max(updated_at) as at from gateway.operations where shop_id = 'vouched'`.execute(db);
    return rows[0]?.at.getTime() ?? 0;
  };

  it('is the time of the oldest missing event, else it follows the clock (R10.12)', async () => {
    // The clock is far ahead, so that only the log limits as_of.
    const asOf = createCompleteToReader(
      { db, store: own.store, model: operationsReadModel },
      () => Date.now() + 60_000,
    );
    await followTo(await appendHistories(own.store, [history('vouched')]));
    const updatedAtMs = await createdAt();
    expect(await asOf()).toBeGreaterThan(updatedAtMs + 30_000);
    const missing = history('vouched');
    const end = await appendHistories(own.store, [missing]);
    const [first] = await own.store.read(`operation-${missing.create.operationId}`);
    // The clock that wrote those after it may be behind.
    expect(await asOf()).toBe((first?.created.getTime() ?? 0) - 1_000);
    await followTo(end);
    expect(await asOf()).toBeGreaterThan(updatedAtMs + 30_000);
  });

  it('trails the clock by the time that the log may take to commit (R10.12)', async () => {
    const newest = history('vouched');
    await followTo(await appendHistories(own.store, [newest]));
    const last =
      (await own.store.read(`operation-${newest.create.operationId}`)).at(-1)?.created.getTime() ??
      0;
    const asOfAt = (now: number) =>
      createCompleteToReader({ db, store: own.store, model: operationsReadModel }, () => now)();
    // Events with an earlier time precede the newest event; clocks may differ by a second.
    for (const afterMs of [0, 2_000]) expect(await asOfAt(last + afterMs)).toBe(last - 1_000);
    expect(await asOfAt(last + 60_000)).toBe(last + 60_000 - 3_000);
    // An event from the future does not bound those after it.
    expect(await asOfAt(last - 60_000)).toBe(last - 63_000);
    // Concurrent calls share one query.
    const asOf = createCompleteToReader({ db, store: own.store, model: operationsReadModel });
    const [left, right] = [asOf(), asOf()];
    expect(left).toBe(right);
    await left;
  });
});

it('findExisting returns only the operations that exist', async () => {
  const { rows } = await sql<{ id: string }>`
    select operation_id::text as id from gateway.operations limit 2`.execute(db);
  const existingIds = rows.map(({ id }) => id);
  expect(existingIds.length).toBeGreaterThan(0);
  expect(await findExisting(db, [randomUUID(), ...existingIds])).toEqual(new Set(existingIds));
});
