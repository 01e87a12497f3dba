import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin } from './support/http.ts';
import { errorsOf } from './support/problem.ts';
import { shopForFile, type Kind } from './support/shop.ts';

const shop = shopForFile();

const kinds = ['payment', 'payment/link', 'payout'] as const;

async function expectAccepted(kind: Kind, change: Json): Promise<Json> {
  return shop.made(shop.create(kind, shop.body(kind, change)));
}

describe.each(kinds)('R3.1 POST /v1/%s', (kind) => {
  it('R2.2: reports every invalid field', async () => {
    const body = shop.body(kind, {
      amount: '1',
      currency: 'XXX',
      client_id: '',
      merchant_operation_id: undefined,
      shop_id: 's',
      extra: 1,
    });
    expect(await errorsOf(shop.create(kind, body))).toEqual([
      '/amount amount_invalid',
      '/client_id field_invalid',
      '/currency currency_unknown',
      '/extra field_unknown',
      '/merchant_operation_id field_required',
      '/shop_id scope_field_forbidden',
    ]);
    expect((await errorsOf(shop.call(`/v1/${kind}`, {}))).length).toBeGreaterThanOrEqual(5);
  });

  it('R3.2: distinguishes identifiers by white space and case', async () => {
    const key = `Key-${crypto.randomUUID()}`;
    const ids = new Set<string>();
    for (const merchant_operation_id of [
      key,
      `${key} `,
      ` ${key}`,
      key.toLowerCase(),
      `${key}\t`,
    ]) {
      ids.add((await expectAccepted(kind, { merchant_operation_id })).operation_id);
    }
    expect(ids.size).toBe(5);
  });

  it('R3.2: accepts any text as an identifier', async () => {
    const texts = [
      'a/b?c=d&e#f',
      '%00%2e%2e',
      `"'\\\n\t`,
      '\u2028\ufeff',
      "'; drop table x; --",
      '<b>',
      'ё',
      'е\u0308',
      'null',
      '😀'.repeat(512 - crypto.randomUUID().length),
    ];
    for (const text of texts) {
      const merchant_operation_id = `${text}${crypto.randomUUID()}`;
      const { operation_id } = await expectAccepted(kind, {
        merchant_operation_id,
        client_id: text,
      });
      const { body } = await shop.read({ merchant_operation_id });
      expect(body.operation_id).toBe(operation_id);
      const answer = await admin('GET', `/operations/${operation_id}`);
      expect(answer.body).toMatchObject({ merchant_operation_id, client_id: text });
    }
  });
});

describe('R3.6: number, name and bankname of a payment', () => {
  it.each(['payment', 'payment/link'] as const)(
    'are accepted and ignored by POST /v1/%s (R3.6)',
    async (kind) => {
      const sent = { number: '4276 5500 1111 2222', name: 'IVAN', bankname: 'no such bank' };
      const operation = await expectAccepted(kind, sent);
      expect(operation.number).not.toBe(sent.number);
      expect(operation.number.replaceAll(' ', '')).not.toBe('4276550011112222');
      expect(operation.bankname).not.toBe(sent.bankname);
      expect(operation.name).not.toBe(sent.name);
      await expectAccepted(kind, { number: 'x', name: '', bankname: '' });
      await expectAccepted(kind, { number: '', method: 'WT_RUB_PHONE' });
    },
  );
});

describe('R3.7 the destination of a payout', () => {
  it.each(['411111111111', '4111 1111 1111 1111', '4111-1111-1111-1111', '4111111111111111111'])(
    'accepts card number %j, and returns it masked (R5.7)',
    async (number) => {
      const operation = await expectAccepted('payout', { number });
      for (const unmasked of [number, number.replaceAll(/[ -]/g, '')])
        expect(JSON.stringify(operation)).not.toContain(unmasked);
    },
  );

  it('ignores bankname for cards (R3.7)', async () => {
    expect(await expectAccepted('payout', { bankname: 'no such bank' })).not.toHaveProperty(
      'bankname',
    );
  });
});
