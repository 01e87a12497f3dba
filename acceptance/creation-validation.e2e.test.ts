import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Json } from './support/answer.ts';
import { admin, send, target } from './support/http.ts';
import { openShop, type Kind, type Shop } from './support/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

const kinds = ['payment', 'payment/link', 'payout'] as const;
const invalidAmounts = [
  ...'1 1.0 1.000 01.00 00.10 -1.00 +1.00 1,00 1e2 .50 1. 0.00 1234567890123456.00 ٣.٠٠ NaN 0x1.00'.split(
    ' ',
  ),
  ' 1.00',
  '1.00 ',
  '1.00\n',
];
const phone = { method: 'WT_RUB_PHONE', number: '+79451234567', bankname: 'sberbank' };

/** The field errors of a refused request, as `pointer code`. */
function errorsOf({ status, text, body }: Answer): string[] {
  expect(status, text).toBe(400);
  expect(body.code, text).toBe('invalid_request');
  return body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`).toSorted();
}

async function expectRejected(kind: Kind, change: Json, ...errors: string[]): Promise<void> {
  expect(errorsOf(await shop.create(kind, shop.body(kind, change)))).toEqual(errors.toSorted());
}

async function expectAccepted(kind: Kind, change: Json): Promise<Json> {
  return shop.made(shop.create(kind, shop.body(kind, change)));
}

describe.each(kinds)('R3.1 POST /v1/%s', (kind) => {
  it.each(['merchant_operation_id', 'client_id', 'method', 'amount', 'currency'])(
    'requires %s (R3.1)',
    async (field) => expectRejected(kind, { [field]: undefined }, `/${field} field_required`),
  );

  it.each(['merchant_operation_id', 'client_id'])(
    'requires a non-empty string as %s (R3.1)',
    async (field) => {
      for (const value of ['', null, 5, true, ['a'], { a: 1 }]) {
        await expectRejected(kind, { [field]: value }, `/${field} field_invalid`);
      }
    },
  );

  it.each(invalidAmounts)('rejects amount %j (R3.3)', async (amount) =>
    expectRejected(kind, { amount }, '/amount amount_invalid'),
  );

  it('rejects a number as amount (R3.3)', async () => {
    const errors = errorsOf(await shop.create(kind, shop.body(kind, { amount: 100 })));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^\/amount (field_invalid|amount_invalid)$/);
  });

  it.each(['0.01', '0.10', '1.00', '999999999999999.99'])(
    'accepts amount %s (R3.3)',
    async (amount) => {
      expect(await expectAccepted(kind, { amount })).toMatchObject({
        expected_amount: amount,
        actual_amount: '0.00',
      });
    },
  );

  it.each(['wt_rub_c2c', 'CARD', ' WT_RUB_C2C'])('rejects method %j (R3.4)', async (method) =>
    expectRejected(kind, { method }, '/method method_unknown'),
  );

  it.each(['XXX', 'rub', 'RUBLE'])('rejects currency %j (R3.4)', async (currency) =>
    expectRejected(kind, { currency }, '/currency currency_unknown'),
  );

  it.each(['USD', 'EUR', 'USDT'])(
    'rejects currency %s for a RUB method (R3.4)',
    async (currency) => {
      const errors = errorsOf(await shop.create(kind, shop.body(kind, { currency })));
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(/ currency_method_mismatch$/);
    },
  );

  it.each(['127.0.0.1', '203.0.113.7', '2001:db8::1', '::ffff:192.0.2.1'])(
    'accepts client_ip %s (R3.5)',
    async (ip) => {
      await expectAccepted(kind, { client_ip: ip });
    },
  );

  it.each(['localhost', '1.2.3', '256.1.1.1', '1.2.3.4:80', '203.0.113.0/24', ':::'])(
    'rejects client_ip %j (R3.5)',
    async (ip) => expectRejected(kind, { client_ip: ip }, '/client_ip client_ip_invalid'),
  );

  it.each(['merchant_id', 'shop_id'])('R1.3: rejects %s', async (field) => {
    for (const value of ['x', null, shop.shopId]) {
      await expectRejected(kind, { [field]: value }, `/${field} scope_field_forbidden`);
    }
  });

  it('R2.3: rejects an unknown field', async () => {
    await expectRejected(kind, { ammount: '1.00' }, '/ammount field_unknown');
    await expectRejected(kind, { 'a/b~c': 1 }, '/a~1b~0c field_unknown');
  });

  it('R2.2: reports every invalid field', async () => {
    await expectRejected(
      kind,
      {
        amount: '1',
        currency: 'XXX',
        client_id: '',
        merchant_operation_id: undefined,
        shop_id: 's',
        extra: 1,
      },
      '/amount amount_invalid',
      '/client_id field_invalid',
      '/currency currency_unknown',
      '/extra field_unknown',
      '/merchant_operation_id field_required',
      '/shop_id scope_field_forbidden',
    );
    expect(errorsOf(await shop.call(`/v1/${kind}`, {})).length).toBeGreaterThanOrEqual(5);
  });

  it('R3.2: accepts identifiers of up to 512 code points', async () => {
    const wide = `${crypto.randomUUID()}${'😀'.repeat(512 - 36)}`;
    await expectAccepted(kind, { merchant_operation_id: wide, client_id: '😀'.repeat(512) });
    expect((await shop.read({ merchant_operation_id: wide })).status).toBe(200);
    await expectRejected(
      kind,
      { merchant_operation_id: 'x'.repeat(513) },
      '/merchant_operation_id field_invalid',
    );
    await expectRejected(kind, { client_id: 'x'.repeat(513) }, '/client_id field_invalid');
  });

  it('R3.2: rejects U+0000 and lone surrogates', async () => {
    for (const text of ['a\u0000b', 'a\ud800b', '\udc00', '\ud800\ud800']) {
      await expectRejected(
        kind,
        { merchant_operation_id: text },
        '/merchant_operation_id field_invalid',
      );
      await expectRejected(kind, { client_id: text }, '/client_id field_invalid');
    }
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

  it('R2.4: returns invalid_json for malformed JSON', async () => {
    for (const raw of [
      '',
      '{',
      '{"a":1,}',
      "{'a':1}",
      '{"amount":01}',
      'undefined',
      '\ufeff{',
      '{} {}',
    ]) {
      const answer = await send(`${target.gateways[0]}/v1/${kind}`, {
        raw,
        headers: { 'content-type': 'application/json', 'x-api-key': shop.apiKey },
      });
      expect(answer, raw).toMatchObject({
        status: 400,
        body: { code: 'invalid_json', retryable: false },
      });
    }
  });

  it('R2.4: returns invalid_request for JSON that is not an object', async () => {
    for (const json of [[], 'text', 5, null, true]) {
      const answer = await shop.call(`/v1/${kind}`, json);
      expect(answer, JSON.stringify(json)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
    }
  });

  it('R2.5: returns 415 for another content type, and 413 for more than 64 KiB', async () => {
    const url = `${target.gateways[0]}/v1/${kind}`;
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const answer = await send(url, {
        raw: '{}',
        headers: { 'content-type': type, 'x-api-key': shop.apiKey },
      });
      expect(answer).toMatchObject({ status: 415, body: { code: 'content_type_unsupported' } });
    }
    const large = JSON.stringify(shop.body(kind, { client_id: 'x'.repeat(65 * 1024) }));
    const headers = { 'content-type': 'application/json; charset=utf-8', 'x-api-key': shop.apiKey };
    expect(await send(url, { raw: large, headers })).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    });
    const body = JSON.stringify(shop.body(kind)).padEnd(60_000);
    expect((await send(url, { raw: body, headers })).status).toBe(200);
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

describe('R3.7 and R3.8 the destination of a payout', () => {
  it('requires number for WT_RUB_C2C (R3.7)', async () => {
    await expectRejected('payout', { number: undefined }, '/number number_required');
  });

  it('requires number and bankname for WT_RUB_PHONE (R3.8)', async () => {
    await expectRejected('payout', { ...phone, number: undefined }, '/number number_required');
    await expectRejected(
      'payout',
      { ...phone, bankname: undefined },
      '/bankname bankname_required',
    );
    await expectRejected(
      'payout',
      { method: 'WT_RUB_PHONE', number: undefined },
      '/bankname bankname_required',
      '/number number_required',
    );
  });

  it.each(['411111111111', '4111 1111 1111 1111', '4111-1111-1111-1111', '4111111111111111111'])(
    'accepts card number %j, and returns it masked (R5.7)',
    async (number) => {
      const operation = await expectAccepted('payout', { number });
      expect(JSON.stringify(operation)).not.toContain(number.replaceAll(/[ -]/g, ''));
    },
  );

  it.each([
    '41111111111',
    '41111111111111111111',
    '4111x11111111111',
    '+4111111111111111',
    '4111.1111.1111.1111',
  ])('rejects card number %j (R3.7)', async (number) =>
    expectRejected('payout', { number }, '/number number_invalid'),
  );

  it.each(['9451234567', '+79451234567', '+123456789012345'])(
    'accepts phone number %j',
    async (number) => {
      await expectAccepted('payout', { ...phone, number });
    },
  );

  it.each([
    '945123456',
    '+945123456',
    '1234567890123456',
    '++79451234567',
    '7945-phone',
    '7+9451234567',
  ])('rejects phone number %j (R3.8)', async (number) =>
    expectRejected('payout', { ...phone, number }, '/number number_invalid'),
  );

  it('rejects a bankname outside of the RUB bank dictionary (R3.8)', async () => {
    for (const bankname of ['no_such_bank', 'Sberbank', 'SBERBANK', 'Сбербанк']) {
      await expectRejected('payout', { ...phone, bankname }, '/bankname bankname_unknown');
    }
  });

  it('ignores bankname for cards (R3.7)', async () => {
    expect(await expectAccepted('payout', { bankname: 'no such bank' })).not.toHaveProperty(
      'bankname',
    );
  });

  it('returns the name, or аноним if it is omitted or empty (R3.9)', async () => {
    expect(await expectAccepted('payout', {})).toMatchObject({ name: 'аноним' });
    expect(await expectAccepted('payout', { name: '' })).toMatchObject({ name: 'аноним' });
    expect(await expectAccepted('payout', { name: 'Иван Петров' })).toMatchObject({
      name: 'Иван Петров',
    });
  });

  const banks =
    'sberbank tbank alfabank vtb gazprombank raiffeisen rosbank sovcombank rshb mkb psb otpbank pochtabank ' +
    'unicredit ozonbank yandexbank mtsbank akbars';
  it('R3.10: accepts and names every bank of the dictionary', async () => {
    for (const bankname of banks.split(' ')) {
      const { bankname_details: details } = await expectAccepted('payout', { ...phone, bankname });
      expect(details, bankname).toMatch(/[а-яё]/i);
    }
  });
});
