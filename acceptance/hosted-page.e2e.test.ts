import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { control, send, target } from './support/http.ts';
import { openShop, type Shop } from './support/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

const page = async (url: string) => send(url, { method: 'GET', headers: { accept: 'text/html' } });
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

describe('R15.1 the hosted page', () => {
  it('shows amount and requisites, with the headers of R15.3', async () => {
    const operation = await shop.made(shop.link({ amount: '1234.50' }));
    const { status, headers, text } = await page(operation.payment_url);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    for (const [name, value] of Object.entries(securityHeaders)) expect(headers.get(name)).toBe(value);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/);
    const digits = text.replaceAll(/<[^>]+>|&nbsp;|[\s\u00a0\u202f]/g, '');
    expect(digits).toContain(operation.number);
    expect(digits).toMatch(/1[.,]?234[.,]50/);
  });

  it('is 404 in HTML for unknown ids and payouts', async () => {
    const payout = await shop.made(shop.payout());
    const base = new URL(target.pay).origin;
    for (const path of [`/${payout.operation_id}`, `/${crypto.randomUUID()}`, '/nothing']) {
      const { status, headers, text } = await page(`${base}${path}`);
      expect(status, path).toBe(404);
      expect(headers.get('content-type')).toMatch(/^text\/html/);
      expect(text).toMatch(/<html/i);
    }
  });

  it('reflects the outcome: paid, declined, expired, cancelled, without requisites when cancelled', async () => {
    const outcomes: Json = { completed: 'completed', declined: 'declined', expired: 'expired' };
    for (const [result, status] of Object.entries(outcomes)) {
      const operation = await shop.made(shop.link());
      const before = (await page(operation.payment_url)).text;
      await control(operation.operation_id, 'settle', { result });
      await shop.waitFor(operation.operation_id, status as string);
      const after = await page(operation.payment_url);
      expect(after.status).toBe(200);
      expect(after.text).not.toBe(before);
    }
    const cancelled = await shop.made(shop.link());
    await shop.cancel({ operation_id: cancelled.operation_id });
    const shown = (await page(cancelled.payment_url)).text.replaceAll(/\s/g, '');
    expect(shown).not.toContain(cancelled.number);
  });
});
