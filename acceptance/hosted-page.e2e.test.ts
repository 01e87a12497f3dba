import { describe, expect, it } from 'vitest';
import { admin, control, sendRequest } from './support/http.ts';
import { openTestShop, shopForFile } from './support/shop.ts';
import { until } from './support/until.ts';

const shop = shopForFile();

const page = async (url: string) =>
  sendRequest(url, { method: 'GET', headers: { accept: 'text/html' } });
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

describe('R15.1 hosted page', () => {
  it('shows amount and requisites, with the headers of R15.3', async () => {
    const operation = await shop.made(shop.link({ amount: '1234.50' }));
    const { status, headers, text } = await page(operation.payment_url);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    for (const [name, value] of Object.entries(securityHeaders))
      expect(headers.get(name)).toBe(value);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/);
    const digits = text.replaceAll(/<[^>]+>|&nbsp;|[\s\u00a0\u202f]/g, '');
    expect(digits).toContain(operation.number);
    expect(digits).toMatch(/1[.,]?234[.,]50/);
  });

  it('R15.8: shows the shop’s current name, and links back from each outcome', async () => {
    const own = await openTestShop({ settings: { display_name: 'Before', support: 'ask & see' } });
    const operation = await own.made(own.link());
    const { operation_id: id } = operation;
    const cancelled = await own.made(own.link());
    expect((await page(operation.payment_url)).text).toContain('Before');
    const return_url = 'https://shop.example/o/{merchant_operation_id}?id={operation_id}';
    const changed = await admin('PATCH', `/shops/${own.shopId}`, {
      display_name: '<i>After</i>',
      return_url,
    });
    expect(changed).toMatchObject({ status: 200, body: { support: 'ask & see', return_url } });
    await control(id, 'settle', { result: 'completed' });
    await own.waitFor(id, 'completed');
    await own.cancel({ operation_id: cancelled.operation_id });
    await until('the new name', async () => page(operation.payment_url), {
      holds: ({ text }) => text.includes('After'),
    });
    for (const { payment_url: url, operation_id } of [operation, cancelled]) {
      const { status, text } = await page(url);
      expect(status).toBe(200);
      expect(text).toContain('&lt;i&gt;After&lt;/i&gt;');
      expect(text).toContain('ask &amp; see');
      expect(text).toMatch(
        new RegExp(`href="https://shop\\.example/o/[^"?]+\\?id=${operation_id}"`),
      );
    }
  });
});
