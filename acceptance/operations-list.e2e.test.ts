import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Json } from './support/answer.ts';
import { control, sendRequest, target } from './support/http.ts';
import { openTestShop, shopForFile, type TestShop } from './support/shop.ts';
import { timeAfterNow, until } from './support/until.ts';

const list = async (shop: TestShop, query: object = {}, at: 0 | 1 = 0): Promise<Answer> =>
  shop.call(
    `/v1/operations?${new URLSearchParams(query as Record<string, string>).toString()}`,
    undefined,
    at,
  );

const page = async (shop: TestShop, query: object = {}, at: 0 | 1 = 0): Promise<Json> =>
  shop.made(list(shop, query, at));

const idsOf = (body: Json): string[] =>
  body.operations.map(({ operation_id: id }: Json) => id as string);

/** The list once its as_of covers everything before this call. */
const settled = async (shop: TestShop, query: object = {}): Promise<Json> => {
  const now = await timeAfterNow();
  return until('as_of covers now', async () => page(shop, query), {
    holds: ({ as_of: asOf }) => asOf >= now,
  });
};

describe('R10.11: operations list', () => {
  const shop = shopForFile();
  const other = shopForFile();
  let payments: Json[];
  let payout: Json;
  beforeAll(async () => {
    payments = [];
    for (const client of ['a', 'b', 'a'])
      payments.push(
        await shop.made(
          shop.pay({ client_id: client, merchant_operation_id: `list-${payments.length}` }),
        ),
      );
    payout = await shop.made(shop.payout({ client_id: 'b' }));
    await other.made(other.pay({ merchant_operation_id: 'list-0', client_id: 'a' }));
    await control(payments[0].operation_id, 'settle', { result: 'completed' });
    await shop.waitFor(payments[0].operation_id, 'completed');
    await settled(shop);
  });

  it('R10.14: has the ids and creation times of the states on both instances', async () => {
    const { operations } = await page(shop);
    for (const { operation_id, merchant_operation_id, client_id, created_at } of operations)
      for (const at of [0, 1] as const)
        expect(await shop.state(operation_id, at)).toMatchObject({
          merchant_operation_id,
          client_id,
          created_at,
        });
  });

  it('returns operation objects without requisites, newest first (R10.11)', async () => {
    const body = await page(shop);
    expect(Object.keys(body).toSorted()).toEqual(['as_of', 'next_cursor', 'operations']);
    expect(body.next_cursor).toBeNull();
    expect(idsOf(body)).toEqual(
      [payout, ...payments.toReversed()].map(({ operation_id: id }) => id),
    );
    for (const [index, listed] of body.operations.toReversed().entries()) {
      const {
        number: _,
        name: __,
        bankname: ___,
        bankname_details: ____,
        receipts: _____,
        receipt_evidence_status: ______,
        ...expected
      } = await shop.state(listed.operation_id);
      const { merchant_operation_id: key, client_id: client, created_at: at } = listed;
      expect(listed).toEqual(expected);
      if (index < 3) expect(key).toBe(`list-${index}`);
      expect(client).toBe(['a', 'b', 'a', 'b'][index]);
      expect(new Date(at).toISOString()).toBe(at);
    }
  });

  it('filters by each parameter, and by all at once (R10.11)', async () => {
    const [first, second, third] = payments.map(({ operation_id: id }) => id as string);
    const { operations } = await page(shop);
    const [, middle] = operations.toReversed().map(({ created_at: at }: Json) => at as string);
    for (const [query, ids] of [
      [{ type: 'payout' }, [payout.operation_id]],
      [{ type: 'payment' }, [third, second, first]],
      [{ status: 'completed' }, [first]],
      [{ status: 'expired' }, []],
      [{ type: 'payout', status: 'completed' }, []],
      [{ merchant_operation_id: 'list-1' }, [second]],
      [{ merchant_operation_id: 'unknown' }, []],
      [{ client_id: 'a' }, [third, first]],
      [{ client_id: 'b', type: 'payment' }, [second]],
      [{ created_from: middle }, [payout.operation_id, third, second]],
      [{ created_to: middle }, [first]],
      [{ created_from: middle, created_to: middle }, []],
      [
        { client_id: 'a', status: 'completed', type: 'payment', created_to: middle, limit: '1' },
        [first],
      ],
    ] as const)
      expect([query, idsOf(await page(shop, query))]).toEqual([query, ids]);
  });

  it('returns only the shop’s operations, also with a foreign cursor (R10.11)', async () => {
    const ids = idsOf(await settled(other));
    expect(ids).toHaveLength(1);
    const { next_cursor: cursor } = await page(shop, { limit: '1' });
    const mine = new Set([payout, ...payments].map(({ operation_id: id }) => id as string));
    for (const id of idsOf(await page(other, { cursor }))) expect(mine.has(id)).toBe(false);
    expect(
      (await sendRequest(`${target.gateways[0]}/v1/operations`, { method: 'GET' })).status,
    ).toBe(401);
  });

  it('advances as_of without activity, and misses nothing before it (R10.12)', async () => {
    // A separate shop, because other tests expect exact lists of the shared one.
    const own = await openTestShop();
    const { as_of: before } = await page(own);
    const { as_of: after } = await until('as_of has moved', async () => page(own), {
      holds: ({ as_of: asOf }) => asOf > before,
    });
    expect(after <= new Date().toISOString()).toBe(true);
    const { operation_id: id } = await own.made(own.pay());
    expect(idsOf(await settled(own))).toContain(id);
  });
});

describe('R10.11: pages of the operations list', () => {
  it('have each operation once while others are created, on two instances (R10.11)', async () => {
    const shop = await openTestShop();
    const make = async () => (await shop.made(shop.pay())).operation_id as string;
    const before: string[] = [];
    // In small batches, because a create that waits too long on a slow machine is rejected.
    for (let batch = 0; batch < 5; batch += 1)
      before.push(...(await Promise.all(Array.from({ length: 5 }, make))));
    await settled(shop);
    for (const [query, limit] of [
      [{}, 4],
      [{ type: 'payment' }, 7],
      [{ client_id: 'client-1' }, 10],
    ] as const) {
      const seen: Json[] = [];
      let cursor: string | null | undefined;
      let asOf: string | undefined;
      const arriving: Promise<string>[] = [];
      for (let turn: 0 | 1 = 0; cursor !== null; turn = turn === 0 ? 1 : 0) {
        const sent = { ...query, limit: String(limit), ...(cursor !== undefined && { cursor }) };
        const body = await page(shop, sent, turn);
        arriving.push(make());
        asOf ??= body.as_of as string;
        expect(body.as_of).toBe(asOf);
        expect(body.operations.length === limit || body.next_cursor === null).toBe(true);
        seen.push(...body.operations);
        cursor = body.next_cursor;
      }
      before.push(...(await Promise.all(arriving)));
      const ids = seen.map(({ operation_id: id }) => id as string);
      expect(new Set(ids).size).toBe(ids.length);
      const order = seen.map(({ created_at: at, operation_id: id }) => `${at} ${id}`);
      expect(order).toEqual(order.toSorted().toReversed());
      // Operations that existed at the first request are on one of the pages.
      const missing = before.slice(0, 25).filter((id) => !ids.includes(id));
      expect(missing).toEqual([]);
    }
    const all = await settled(shop, { limit: '100' });
    expect(new Set(idsOf(all))).toEqual(new Set(before));
  });

  it('have up to 100 operations, and 50 by default (R10.11)', async () => {
    const shop = await openTestShop();
    for (let batch = 0; batch < 14; batch += 1)
      await Promise.all(Array.from({ length: 4 }, async () => shop.made(shop.pay())));
    const all = await settled(shop, { limit: '100' });
    expect(all.operations).toHaveLength(56);
    expect(all.next_cursor).toBeNull();
    const usual = await page(shop);
    expect(usual.operations).toEqual(all.operations.slice(0, 50));
    const rest = await page(shop, { cursor: usual.next_cursor });
    expect([rest.operations, rest.next_cursor]).toEqual([all.operations.slice(50), null]);
    // A full last page has no next cursor.
    expect((await page(shop, { limit: '6', cursor: usual.next_cursor })).next_cursor).toBeNull();
  });
});
