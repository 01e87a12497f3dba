import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { examinedBy, planOf } from '../testing/query-plan.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { appendHistories } from '../testing/append.ts';
import { createOperationsTables } from '../testing/operations-tables.ts';
import { useOwnEventStore } from '../testing/stores.ts';
import { searchArms, searchOperations, type SearchField, type SearchTerms } from './search.ts';

const own = useOwnEventStore();
const { db, followTo } = await createOperationsTables(own);
const knownId = '5ab0c0de-0000-8000-8000-000000000001';

/** `ROWS=400000` reproduces the plans in docs/operators/console.md. */
const count = Number(process.env['ROWS'] ?? 60_000);

beforeAll(async () => {
  const template = paidHistory({
    operationId: randomUUID(),
    merchantOperationId: 'template',
    shopId: 'template',
  });
  await followTo(await appendHistories(own.store, [template]));
  await db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`insert into gateway.operations select made.* from gateway.operations as template,
      generate_series(1, ${count}::int) as i, lateral jsonb_populate_record(template, jsonb_build_object(
        'operation_id', case i when 4711 then ${knownId}::uuid else gen_random_uuid() end,
        'shop_id', 'shop-' || (i % 7), 'merchant_operation_id', 'order-' || i, 'client_id', 'client-' || (i % 5000),
        'provider_reference', 'ref-' || i, 'expected_amount', 100 + i % 2000,
        'actual_amount', case i when 4711 then 4710.50 else 100 + i % 2000 end,
        'created_at', timestamptz '2026-01-01' + i * interval '1 second')) as made`.execute(tx);
    for (const table of ['legs', 'uploaded_receipts']) await fill(tx, table);
    await sql`insert into gateway.suspense (entry_id, kind, status, operation_id, shop_id, merchant_id, provider, attempt, amount, received_at, revision, position)
      select 'late-of-' || merchant_operation_id, 'late_money', 'open', operation_id, shop_id, merchant_id, 'sandbox', 1,
        case operation_id when ${knownId} then 3.17 else expected_amount end, created_at, 0, 0
      from gateway.operations where expected_amount between 800 and 900`.execute(tx);
  });
  await sql`analyze gateway.operations, gateway.legs, gateway.uploaded_receipts, gateway.suspense`.execute(
    db,
  );
});

const fill = async (tx: Kysely<unknown>, table: string) =>
  table === 'legs'
    ? sql`insert into gateway.legs select made.* from gateway.legs template, gateway.operations o, lateral
        jsonb_populate_record(template, jsonb_build_object('operation_id', o.operation_id, 'leg_id', 'leg-of-' || merchant_operation_id)) made
        where o.shop_id <> 'template' and template.leg_id = (select min(leg_id) from gateway.legs)`.execute(
        tx,
      )
    : sql`insert into gateway.uploaded_receipts (operation_id, receipt_id, number, shop_id, sha256, size_bytes, pdf, uploaded_at, uploaded_by, status, position)
        select operation_id, 'receipt-of-' || merchant_operation_id, 1, shop_id, 'aa', 1, true, created_at, 'payer', 'closed', 0 from gateway.operations`.execute(
        tx,
      );

const minute = {
  createdFrom: new Date('2026-01-01T01:18:00Z'),
  createdBefore: new Date('2026-01-01T01:19:00Z'),
};

describe(`a search among ${count} operations (R16.19)`, () => {
  it.each<[string, Partial<SearchTerms>, SearchField | undefined, number]>([
    ['the whole id', { text: knownId }, 'operation_id', 1],
    ['the beginning of the id', { text: knownId.slice(0, 10).toUpperCase() }, 'operation_id', 1],
    [
      'the merchant’s id',
      { text: 'order-4711', filter: { createdBefore: new Date('2026-01-01T02:00:00Z') } },
      'merchant_operation_id',
      1,
    ],
    ['the merchant’s id in another case', { text: 'ORDER-4711' }, 'merchant_operation_id', 11],
    ['a prefix of many', { text: 'order-' }, 'merchant_operation_id', 50],
    [
      'a client',
      { text: 'client-4711' },
      'client_id',
      Math.min(50, Math.floor((count - 4711) / 5000) + 1),
    ],
    ['a client in another case', { text: 'CLIENT-4711', amount: '4710.50' }, 'client_id', 1],
    ['a client and an amount', { text: 'client-4711', amount: '4710.50' }, 'client_id', 1],
    ['a provider’s reference', { text: 'ref-4711' }, 'provider_reference', 1],
    ['a transfer', { text: 'leg-of-order-4711' }, 'leg_id', 1],
    ['a receipt', { text: 'receipt-of-order-4711' }, 'receipt_id', 1],
    [
      'an amount',
      { amount: '150.00' },
      'amount',
      Math.min(50, Math.floor((count - 50) / 2000) + 1),
    ],
    ['an amount that came after the end', { amount: '3.17' }, 'late_money', 1],
    ['an actual amount', { amount: '4710.50' }, 'amount', 1],
    [
      'an amount of a shop in a minute',
      { amount: '811.00', filter: { shopId: 'shop-0', ...minute } },
      'amount',
      1,
    ],
    ['an amount of a status', { amount: '150.00', filter: { status: 'declined' } }, undefined, 0],
    ['nothing', { text: 'unknown text' }, undefined, 0],
  ])('finds %s without a sequential scan', async (what, partial, by, hitCount) => {
    const terms = { filter: {}, ...partial };
    const { hits } = await searchOperations(db, terms, 50);
    expect([hits[0]?.by, hits.length]).toEqual([by, hitCount]);
    for (const arm of searchArms(terms, 50)) {
      const { steps, ms } = await planOf(db, arm.query);
      const scans = steps.filter((step) => step['Relation Name'] !== undefined);
      const types = scans.map((node) => node['Node Type']);
      if (process.env['ROWS'])
        process.stdout.write(`${what}, by ${arm.by}: ${types.join()} in ${ms} ms\n`);
      expect(types).not.toContain('Seq Scan');
      expect(examinedBy(scans)).toBeLessThan(2_500);
    }
  });

  it('returns the newest first, and whether there are more', async () => {
    const { hits, more } = await searchOperations(db, { text: 'order-', filter: {} }, 50);
    const times = hits.map(({ row }) => row.created_at.getTime());
    expect(times).toEqual(times.toSorted((left, right) => right - left));
    expect(more).toBe(true);
    expect((await searchOperations(db, { text: 'ref-4711', filter: {} }, 50)).more).toBe(false);
    const elsewhere = { text: 'ref-4711', filter: { shopId: 'shop-1' } };
    expect(await searchOperations(db, elsewhere, 50)).toEqual({ hits: [], more: false });
  });

  it('does not interpret the text as a pattern', async () => {
    for (const text of ['order-_711', '%', "'", 'or\u{10FFFF}', '\0', 'ffff\\'])
      expect(await searchOperations(db, { text, filter: {} }, 50)).toEqual({
        hits: [],
        more: false,
      });
  });
});
