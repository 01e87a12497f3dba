import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Json } from './support/answer.ts';
import { control, provider, send, target } from './support/http.ts';
import { payoutRoute, route } from './support/routes.ts';
import { openShop, type Kind, type Shop } from './support/shop.ts';

let shop: Shop;
let refusing: Shop;
beforeAll(async () => {
  shop = await openShop();
  refusing = await openShop({
    routes: [
      route({ options: { accept: 'decline' } }),
      payoutRoute({ options: { accept: 'decline' } }),
    ],
    webhook: true,
  });
});

const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed');
const mismatch = { status: 412, body: { code: 'idempotency_body_mismatch', retryable: false } };

async function raw(of: Shop, path: string, text: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-api-key': of.apiKey };
  return send(`${target.gateways[0]}${path}`, { raw: text, headers });
}

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

    it('ignores key order, white space and JSON escapes (R4.2)', async () => {
      const body = shop.body(kind);
      const first = await shop.made(shop.create(kind, body));
      const reversed = Object.fromEntries(Object.entries(body).toReversed());
      const texts = [
        JSON.stringify(reversed),
        JSON.stringify(body, null, 4),
        JSON.stringify(body).replace('client-1', String.raw`\u0063lient-1`),
      ];
      for (const text of texts) {
        const repeat = await raw(shop, `/v1/${kind}`, text);
        expect(repeat).toMatchObject({ status: 200, body: { operation_id: first.operation_id } });
        expect(replayed(repeat)).toBe('true');
      }
    });

    it('rejects a different body with 412, and changes nothing (R4.3)', async () => {
      const body = shop.body(kind);
      const first = await shop.made(shop.create(kind, body));
      const others: Json[] = [
        { amount: '100.01' },
        { client_id: 'client-2' },
        { client_ip: '203.0.113.7' },
        { name: 'Ivan' },
        { name: '' },
        { number: '5500000000000004' },
      ];
      for (const change of others) {
        expect(
          await shop.create(kind, { ...body, ...change }),
          JSON.stringify(change),
        ).toMatchObject(mismatch);
      }
      const state = await shop.state(first.operation_id);
      expect(state).toMatchObject({ status: first.status, expected_amount: '100.00' });
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

  it('returns the current operation for a repeat (R4.1)', async () => {
    const other = await openShop({ routes: [route({ options: { expires_in_s: 600 } })] });
    const body = other.body('payment');
    const first = await other.made(other.create('payment', body));
    expect(first.status).toBe('pending');
    await control(first.operation_id, 'expire', {});
    await other.waitFor(first.operation_id, 'expired');
    const repeat = await other.create('payment', body);
    expect(repeat).toMatchObject({ status: 200, body: { status: 'expired' } });
    expect(replayed(repeat)).toBe('true');
  });

  it('makes a concurrent repeat wait for the first answer (R4.5)', async () => {
    const slow = await openShop({ routes: [route({ options: { accept_delay_ms: 400 } })] });
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

  it.each(['payment', 'payout'] as const)(
    'replays the 422 of a rejected %s, and rejects another body (R4.6)',
    async (kind: Kind) => {
      const body = refusing.body(kind);
      const first = await refusing.create(kind, body);
      expect(first).toMatchObject({
        status: 422,
        body: { code: 'provider_not_accepted', retryable: false },
      });
      expect(replayed(first)).toBeNull();
      const { operation_id: id } = first.body;
      for (const at of [0, 1] as const) {
        const repeat = await refusing.create(kind, body, { at });
        expect(repeat).toMatchObject({
          status: 422,
          body: { code: 'provider_not_accepted', operation_id: id },
        });
        expect(repeat.body.detail).toBe(first.body.detail);
        expect(replayed(repeat)).toBe('true');
      }
      expect(await refusing.create(kind, { ...body, amount: '1.00' })).toMatchObject(mismatch);
      expect((await provider(id)).submissions).toHaveLength(1);
    },
  );

  it.each(['payment', 'payout'] as const)(
    'refers to a declined operation after a rejected %s (R4.7)',
    async (kind: Kind) => {
      const body = refusing.body(kind);
      const { operation_id: id } = (await refusing.create(kind, body)).body;
      const state = await refusing.state(id);
      expect(state).toMatchObject({
        status: 'declined',
        expected_amount: '100.00',
        actual_amount: '0.00',
        settlement_amount: '0.00',
        commission_amount: '0.00',
        receipt_evidence_status: 'complete',
        receipts: [],
      });
      expect(
        (await refusing.read({ merchant_operation_id: body.merchant_operation_id })).body,
      ).toEqual(state);
      const delivery = await refusing.delivered(id);
      expect(delivery).toMatchObject({ type: `${kind}.declined`, sequence: 1 });
      const cancel = await refusing.cancel({ operation_id: id });
      if (kind === 'payment') {
        expect(cancel).toMatchObject({
          status: 200,
          body: {
            outcome: 'already_terminal',
            operation: { operation_id: id, type: 'payment', status: 'declined' },
          },
        });
      } else
        expect(cancel).toMatchObject({ status: 412, body: { code: 'cancel_payout_unsupported' } });
    },
  );

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
