import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Json } from './support/answer.ts';
import { control, send } from './support/http.ts';
import { route } from './support/routes.ts';
import { openShop, type Shop } from './support/shop.ts';
import { until } from './support/until.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ webhook: true });
});

const notFound = { status: 404, body: { code: 'operation_not_found', retryable: false } };

/** A completed payment of 100.00 with these legs. */
async function ended(of: Shop, ...legs: object[]): Promise<{ id: string; state: Answer }> {
  const body = of.body('payment');
  const { operation_id: id } = await of.made(of.create('payment', body));
  const { merchant_operation_id } = body;
  const result = legs.length > 0 ? { result: 'completed', legs } : { result: 'completed' };
  await control(id, 'settle', result);
  await of.delivered(id);
  return { id, state: await of.read({ merchant_operation_id }) };
}

describe('R10.1 get_operation_state request', () => {
  it('returns the same 404 for an unknown operation and one of another shop (R1.4)', async () => {
    const other = await openShop();
    const body = other.body('payment');
    const { operation_id } = await other.made(other.create('payment', body));
    const { merchant_operation_id } = body;
    const references = [
      { operation_id },
      { merchant_operation_id },
      { operation_id: crypto.randomUUID() },
      { merchant_operation_id: 'never' },
    ];
    const bodies = new Set<string>();
    for (const reference of references) {
      const answer = await shop.read(reference);
      expect(answer).toMatchObject(notFound);
      bodies.add(answer.text.replace(answer.body.request_id, ''));
    }
    expect(bodies.size).toBe(1);
  });
});

describe('R10.1 get_operation_state answer', () => {
  it('R5.14: has no ETag and no version', async () => {
    const { operation_id } = await shop.made(shop.pay());
    const { headers, body } = await shop.read({ operation_id });
    expect(headers.has('etag')).toBe(false);
    expect(body).not.toHaveProperty('version');
  });

  it('R10.2: is never behind what another instance has returned', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { operation_id, status } = await shop.made(
        shop.pay({}, { at: round % 2 === 0 ? 0 : 1 }),
      );
      expect(await shop.state(operation_id, round % 2 === 0 ? 1 : 0)).toMatchObject({ status });
    }
  });

  it('R10.2: is never behind a webhook, on any instance', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { operation_id } = await shop.made(shop.payout());
      await control(operation_id, 'settle', { result: 'completed' });
      await shop.delivered(operation_id);
      const [a, b] = await Promise.all([shop.state(operation_id, 0), shop.state(operation_id, 1)]);
      expect([a.status, b.status]).toEqual(['completed', 'completed']);
    }
  });
});

describe('R10.3 receipts', () => {
  it('have one item for each contribution, in the order of time and id (R10.3)', async () => {
    const { state } = await ended(
      shop,
      { amount: '60.00' },
      { amount: '30.00' },
      { amount: '10.00', file: false },
    );
    expect(state.body).toMatchObject({ status: 'completed', receipt_evidence_status: 'complete' });
    const amounts = state.body.receipts.map(({ amount }: Json) => amount as number);
    expect(amounts.toSorted((a: number, b: number) => a - b)).toEqual([10, 30, 60]);
    const order = state.body.receipts.map(({ completed_at, id }: Json) => `${completed_at} ${id}`);
    expect(order).toEqual(order.toSorted());
    const without = state.body.receipts.filter(({ receipt_url }: Json) => receipt_url === null);
    expect(without.map(({ amount }: Json) => amount)).toEqual([10]);
  });

  it('have one item for each leg of a payout (R10.3)', async () => {
    const { operation_id: id } = await shop.made(shop.payout());
    await control(id, 'leg', { amount: '25.50' });
    await shop.waitFor(id, ({ actual_amount }) => actual_amount === '25.50');
    await control(id, 'leg', { amount: '74.50' });
    const state = await shop.waitFor(id, 'completed');
    expect(state.receipts.map(({ amount }: Json) => amount)).toEqual([25.5, 74.5]);
  });

  it('R10.4: are returned for partially_completed, and empty without money', async () => {
    const { operation_id: id } = await shop.made(shop.pay());
    await control(id, 'settle', { result: 'partial', legs: [{ amount: '33.33' }] });
    expect(await shop.waitFor(id, 'partially_completed')).toMatchObject({
      receipt_evidence_status: 'complete',
      receipts: [{ amount: 33.33 }],
    });
    for (const result of ['declined', 'expired']) {
      const { operation_id } = await shop.made(shop.pay());
      await control(operation_id, 'settle', { result });
      expect(await shop.waitFor(operation_id, result)).toMatchObject({
        receipt_evidence_status: 'complete',
        receipts: [],
      });
    }
  });

  it('are partial if a leg is synthetic, which has no file (R10.5, R10.10)', async () => {
    const partial = await openShop({
      routes: [route({ options: { evidence: 'partial' } })],
      webhook: true,
    });
    const { state, id } = await ended(partial, { amount: '60.00' }, { amount: '40.00' });
    expect(state.body).toMatchObject({ status: 'completed', receipt_evidence_status: 'partial' });
    expect(state.body.receipts).toHaveLength(2);
    expect(state.body.receipts.some(({ receipt_url }: Json) => receipt_url === null)).toBe(true);
    expect(await partial.state(id)).toMatchObject({ receipt_evidence_status: 'partial' });
  });
});

describe('R10.8 receipt_url', () => {
  it('is an absolute link to a file, without a key or a redirect (R10.8)', async () => {
    const { state } = await ended(shop);
    const [{ receipt_url: url }] = state.body.receipts;
    const file = await fetch(url, { redirect: 'manual' });
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await file.arrayBuffer()).toString('latin1')).toMatch(/^%PDF-/);
  });

  it('is rejected if any part of it is altered (R10.8)', async () => {
    const { state } = await ended(shop);
    const { state: other } = await ended(shop);
    const url = new URL(state.body.receipts[0].receipt_url);
    const altered: URL[] = [];
    for (const name of url.searchParams.keys()) {
      const value = url.searchParams.get(name) ?? '';
      const changed = new URL(url);
      const first = value.startsWith('x') ? 'y' : 'x';
      changed.searchParams.set(
        name,
        /^\d+$/.test(value) ? String(Number(value) + 1) : `${first}${value.slice(1)}`,
      );
      const missing = new URL(url);
      missing.searchParams.delete(name);
      altered.push(changed, missing);
    }
    const swapped = new URL(url);
    swapped.pathname = new URL(other.body.receipts[0].receipt_url).pathname;
    altered.push(swapped);
    for (const link of altered) {
      const answer = await send(String(link), { method: 'GET' });
      expect(answer, String(link)).toMatchObject({
        status: 403,
        body: { code: 'receipt_url_invalid' },
      });
    }
  });

  it('is valid in each read (R10.8)', async () => {
    const { id } = await ended(shop);
    const read = async () => (await shop.state(id)).receipts[0].receipt_url as string;
    for (const url of [await read(), await read()]) expect((await fetch(url)).status).toBe(200);
  });
});

describe('R10.6 late evidence', () => {
  it('is complete eventually', async () => {
    const { operation_id: id } = await shop.made(shop.pay());
    await control(id, 'settle', { result: 'completed' });
    const { body } = await until('complete', async () => shop.read({ operation_id: id }), {
      holds: (answer) =>
        answer.status === 200 && answer.body.receipt_evidence_status === 'complete',
    });
    expect(body.receipts).toHaveLength(1);
  });
});
