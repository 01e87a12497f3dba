import { describe, expect, it } from 'vitest';
import type { Answer } from './support/answer.ts';
import { provider } from './support/http.ts';
import { route } from './support/routes.ts';
import { openTestShop, shopForFile } from './support/shop.ts';

const shop = shopForFile();

const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed');
const mismatch = { status: 412, body: { code: 'idempotency_body_mismatch', retryable: false } };

describe.each(['payment', 'payment/link', 'payout'] as const)(
  'R4.1 merchant_operation_id: POST /v1/%s',
  (kind) => {
    it('returns the original operation for a repeat, and marks it as replayed (R4.1)', async () => {
      const body = shop.body(kind);
      const first = await shop.create(kind, body);
      expect(first.status, first.text).toBe(200);
      expect(replayed(first)).toBeNull();
      for (const at of [0, 1] as const) {
        const repeat = await shop.create(kind, body, { at });
        expect(repeat).toMatchObject({ status: 200, body: first.body });
        expect(replayed(repeat)).toBe('true');
      }
      const { submissions } = await provider(first.body.operation_id);
      expect(submissions).toMatchObject([{ times: 1 }]);
    });

    it('creates and submits one operation for concurrent requests (R4.4)', async () => {
      for (let round = 0; round < 3; round += 1) {
        const body = shop.body(kind);
        const answers = await Promise.all(
          Array.from({ length: 12 }, async (_, index) =>
            shop.create(kind, body, { at: index % 2 === 0 ? 0 : 1 }),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        expect(new Set(answers.map(({ body: { operation_id: id } }) => id)).size).toBe(1);
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
        expect(answers.filter((answer) => replayed(answer) === null)).toHaveLength(1);
        const { submissions } = await provider(answers[0]?.body.operation_id);
        expect(submissions).toMatchObject([{ times: 1 }]);
      }
    });

    it('accepts one of several concurrent bodies, and rejects the others (R4.4)', async () => {
      const body = shop.body(kind);
      const answers = await Promise.all(
        Array.from({ length: 8 }, async (_, index) =>
          shop.create(
            kind,
            { ...body, client_id: `client-${index}` },
            { at: index % 2 === 0 ? 0 : 1 },
          ),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
    });
  },
);

describe('R4.2 an idempotency key', () => {
  it('is shared by payment and link, but not by payout (R4.2)', async () => {
    const body = shop.body('payment');
    const plain = await shop.made(shop.create('payment', body));
    const link = await shop.create('payment/link', body);
    expect(link).toMatchObject({ status: 200, body: { operation_id: plain.operation_id } });
    expect(replayed(link)).toBe('true');
    expect(link.body).toHaveProperty('payment_url');
    const numbered = shop.body('payment', { number: '4111111111111111' });
    await shop.made(shop.create('payment', numbered));
    expect(await shop.create('payout', numbered)).toMatchObject(mismatch);
    const payout = shop.body('payout');
    await shop.made(shop.create('payout', payout));
    expect(await shop.create('payment', payout)).toMatchObject(mismatch);
    expect(await shop.create('payment/link', payout)).toMatchObject(mismatch);
  });

  it('has one kind after a concurrent payment, link and payout (R4.4)', async () => {
    for (let round = 0; round < 10; round += 1) {
      const body = shop.body('payment', { number: '4111111111111111' });
      const [plain, link, payout] = await Promise.all([
        shop.call('/v1/payment', body, round % 2 === 0 ? 0 : 1),
        shop.call('/v1/payment/link', body, round % 2 === 0 ? 1 : 0),
        shop.call('/v1/payout', body, round % 3 === 0 ? 0 : 1),
      ]);
      expect([plain.status, link.status, payout.status]).toEqual(
        payout.status === 200 ? [412, 412, 200] : [200, 200, 412],
      );
      if (payout.status === 412) expect(plain.body.operation_id).toBe(link.body.operation_id);
    }
  });

  it('makes a concurrent repeat wait for the first answer (R4.5)', async () => {
    const slow = await openTestShop({ routes: [route({ options: { accept_delay_ms: 400 } })] });
    const body = slow.body('payment');
    // Any of the requests may be the first.
    const answers = await Promise.all([
      slow.create('payment', body),
      slow.create('payment', body),
      slow.create('payment', body, { at: 1 }),
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    // With requisites, so no request was answered before the provider.
    expect(answers[0]).toMatchObject({
      status: 200,
      body: { status: 'pending', number: expect.any(String) },
    });
    expect(answers.map(replayed).filter((value) => value === 'true')).toHaveLength(2);
    expect(answers.map(replayed)).toContain(null);
    expect((await provider(answers[0]?.body.operation_id)).submissions).toHaveLength(1);
  });

  it('is not stored if the request fails validation (R4.8)', async () => {
    const body = shop.body('payment');
    expect((await shop.create('payment', { ...body, amount: '1' })).status).toBe(400);
    const operation = await shop.made(shop.create('payment', body));
    expect(operation.expected_amount).toBe('100.00');
  });
});

describe('R4.9 operation_id', () => {
  it('differs by key, and does not contain the shop’s id (R4.9)', async () => {
    const operations = await Promise.all(['a', 'b'].map(async () => shop.made(shop.pay())));
    const [first, second] = operations.map(({ operation_id: id }) => id as string);
    expect(first).not.toBe(second);
    expect(first).not.toContain(shop.shopId.slice(0, 8));
  });
});
