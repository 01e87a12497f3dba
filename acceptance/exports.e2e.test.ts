import { beforeAll, describe, expect, it } from 'vitest';
import { shopForFile } from './support/shop.ts';
import type { Json } from './support/answer.ts';
import { recordsOf } from './support/records.ts';
import { control } from './support/http.ts';
import { until } from './support/until.ts';

const shop = shopForFile({ webhook: true });
const other = shopForFile();
let payment: Json;
let payout: Json;
beforeAll(async () => {
  const formula = { merchant_operation_id: '=HYPERLINK("http://evil.example")', client_id: 'a' };
  payment = await shop.made(shop.pay({ ...formula, metadata: { 'order.id': '1' } }));
  payout = await shop.made(shop.payout({ client_id: 'b' }));
  await other.made(other.pay());
  await control(payment.operation_id, 'settle', { result: 'completed' });
  await shop.waitFor(payment.operation_id, 'completed');
  await shop.delivered(payment.operation_id);
});

/** The records of a file, once it has the expected number. */
async function file(path: string, rows: number): Promise<Record<string, string>[]> {
  const answer = await until(path, async () => shop.call(path), {
    holds: (got) => got.status !== 200 || recordsOf(got).length === rows,
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return recordsOf(answer);
}

// Sequential, because a merchant may download three files at a time.
describe('R10.15: CSV exports', { concurrent: false }, () => {
  it('contain the shop’s operations, newest first, with the list’s filters', async () => {
    const all = await file('/v1/operations.csv', 2);
    expect(all.map(({ operation_id: id }) => id)).toEqual([
      payout.operation_id,
      payment.operation_id,
    ]);
    const [row] = await file('/v1/operations.csv?status=completed&type=payment', 1);
    expect(row).toMatchObject({
      operation_id: payment.operation_id,
      merchant_operation_id: `'=HYPERLINK("http://evil.example")`,
      client_id: 'a',
      expected_amount: '100.00',
      metadata: '{"order.id":"1"}',
    });
    expect(Object.keys(row ?? {})).not.toContain('provider');
    expect(await file('/v1/operations.csv?client_id=b', 1)).toMatchObject([{ type: 'payout' }]);
    const key = encodeURIComponent('=HYPERLINK("http://evil.example")');
    expect(await file(`/v1/operations.csv?merchant_operation_id=${key}`, 1)).toHaveLength(1);
    expect(await file('/v1/operations.csv?created_to=2020-01-01T00:00:00Z', 0)).toEqual([]);
  });

  it('contain the journal entries that move the shop’s money', async () => {
    const entries = await file('/v1/journal.csv?currency=RUB', 2);
    expect(new Set(entries.map(({ operation_id: id }) => id))).toEqual(
      new Set([payment.operation_id, payout.operation_id]),
    );
    expect(await file('/v1/journal.csv', 2)).toEqual(entries);
    expect(await file('/v1/journal.csv?currency=USD', 0)).toEqual([]);
    expect(await file('/v1/journal.csv?posted_to=2020-01-01T00:00:00Z', 0)).toEqual([]);
  });

  it('contain webhook deliveries, one row per attempt', async () => {
    const query = `status=delivered&operation_id=${payment.operation_id}`;
    const [row] = await file(`/v1/webhook-deliveries.csv?${query}`, 1);
    expect(row).toMatchObject({
      operation_id: payment.operation_id,
      type: 'payment.completed',
      status: 'delivered',
      attempt: '1',
      status_code: '204',
    });
    expect(await file('/v1/webhook-deliveries.csv?status=exhausted', 0)).toEqual([]);
  });

  it('are available concurrently', async () => {
    const lists = ['operations', 'journal', 'webhook-deliveries'];
    const answers = await Promise.all(lists.map((list) => shop.call(`/v1/${list}.csv`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it.each([
    ['/v1/operations.csv?limit=5', '/limit'],
    ['/v1/operations.csv?status=paid', '/status'],
    ['/v1/operations.csv?shop_id=x', '/shop_id'],
    ['/v1/journal.csv?currency=XXX', '/currency'],
    ['/v1/journal.csv?posted_from=yesterday', '/posted_from'],
    ['/v1/webhook-deliveries.csv?status=sent', '/status'],
    ['/v1/webhook-deliveries.csv?status=', '/status'],
  ])('reject %s', async (path, pointer) => {
    const answer = await shop.call(path);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });
});
