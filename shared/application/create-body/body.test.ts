import { describe, expect, it } from 'vitest';
import type { RequestText } from '#shared/domain/operation/fields/entry.ts';
import { requestTexts } from '#shared/domain/operation/fields/request.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { hashBody } from '#shared/platform/ids.ts';
import { parseCreateBody } from './body.ts';
import { readRequisites } from './destination.ts';

const validBody = {
  merchant_operation_id: 'order-1',
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
};

/** The errors of a body as `pointer code`, in order; empty for a valid one. */
function errorsOf(body: unknown, type: 'payment' | 'payout' = 'payment'): string[] {
  try {
    parseCreateBody(type, body);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

const metadataWith = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x']));

/** The texts of a create by the table of fields: 512 characters are an identifier's. */
const texts = Object.entries<RequestText>(requestTexts).map(
  ([field, { required, maxCodePoints: most = 512 }]) => ({ field, required, most }),
);

describe('a create request', () => {
  it('preserves metadata exactly, including keys such as __proto__ (R3.11)', () => {
    const metadata: unknown = JSON.parse('{"__proto__":"a","constructor":"b","c":""}');
    const body = parseCreateBody('payment', { ...validBody, metadata });
    expect(JSON.stringify(body.metadata)).toBe('{"__proto__":"a","constructor":"b","c":""}');
  });

  it.each([
    ['only required fields', {}],
    ['fields that a payment does not use', { number: '', name: '', bankname: 'whatever' }],
    [
      'an invalid destination, which a payment ignores',
      { method: 'WT_RUB_PHONE', number: 'x', bankname: '' },
    ],
    ['metadata', { metadata: { 'order.id': '', a_b: '🙂'.repeat(500), 'x-Y.9': 'x' } }],
    ['empty metadata', { metadata: {} }],
    ...texts.map(({ field, most }): [string, object] => [
      `${most} characters outside the basic plane as ${field}`,
      { [field]: '🙂'.repeat(most) },
    ]),
    ...['127.0.0.1', '203.0.113.7', '2001:db8::1', '::ffff:192.0.2.1'].map(
      (client_ip): [string, object] => [client_ip, { client_ip }],
    ),
    ...['0.01', '0.10', '1.00', '999999999999999.99'].map((amount): [string, object] => [
      amount,
      { amount },
    ]),
  ])('accepts %s (R3.3, R3.5, R3.6)', (_what, change) => {
    expect(errorsOf({ ...validBody, ...change })).toEqual([]);
  });

  const amounts =
    '0.00 1 1. 1.0 1.000 .50 01.00 00.10 -1.00 +1.00 1,00 1e2 0x1.00 NaN ٣.٠٠ 1000000000000000.00';
  const addresses = 'localhost 1.2.3 256.1.1.1 1.2.3.4:80 203.0.113.0/24 ::: fe80::1%eth0';

  const refusals: [change: object, error: string][] = [
    ...Object.keys(validBody).map((field): [object, string] => [
      { [field]: undefined },
      `/${field} field_required`,
    ]),
    ...texts.flatMap(({ field, required, most }) =>
      [null, 5, true, ['a'], { a: 1 }, 'a\0b', 'a\ud800b', '\udc00', 'x'.repeat(most + 1)]
        .concat(required ? [''] : [])
        .map((value): [object, string] => [{ [field]: value }, `/${field} field_invalid`]),
    ),
    ...[...addresses.split(' '), '', null].map((client_ip): [object, string] => [
      { client_ip },
      '/client_ip client_ip_invalid',
    ]),
    ...['CARD', 'wt_rub_c2c', ' WT_RUB_C2C', 'toString', '__proto__', 'constructor', 5].map(
      (method): [object, string] => [{ method }, '/method method_unknown'],
    ),
    ...['rub', 'XXX', 'RUBLE', null].map((currency): [object, string] => [
      { currency },
      '/currency currency_unknown',
    ]),
    ...['USD', 'EUR', 'USDT'].map((currency): [object, string] => [
      { currency },
      '/currency currency_method_mismatch',
    ]),
    [{ number: 5 }, '/number number_invalid'],
    [{ number: null }, '/number number_invalid'],
    [{ name: null }, '/name field_invalid'],
    [{ name: ['a'] }, '/name field_invalid'],
    [{ name: 'a\0' }, '/name field_invalid'],
    [{ bankname: null }, '/bankname bankname_unknown'],
    [{ bankname: '\udfff' }, '/bankname bankname_unknown'],
    [JSON.parse('{"__proto__":{"amount":"1.00"}}'), '/__proto__ field_unknown'],
    [{ constructor: 1 }, '/constructor field_unknown'],
    [{ merchant_id: 'm' }, '/merchant_id scope_field_forbidden'],
    [{ shop_id: 's' }, '/shop_id scope_field_forbidden'],
    [{ amuont: '1.00' }, '/amuont field_unknown'],
    ...[null, 'text', ['a'], 5, metadataWith(21), metadataWith(101)].map(
      (metadata): [object, string] => [{ metadata }, '/metadata field_invalid'],
    ),
    [{ metadata: { 'order.id': 5 } }, '/metadata/order.id field_invalid'],
    [{ metadata: { amount: null } }, '/metadata/amount field_invalid'],
    [{ metadata: { a: 'x'.repeat(501) } }, '/metadata/a field_invalid'],
    [{ metadata: { a: 'x\0' } }, '/metadata/a field_invalid'],
    [{ metadata: { 'a/b': 'x' } }, '/metadata/a~1b field_invalid'],
    [{ metadata: { 'a b': 'x' } }, '/metadata/a b field_invalid'],
    [{ metadata: { '': 'x' } }, '/metadata/ field_invalid'],
    [{ metadata: { ['k'.repeat(41)]: 'x' } }, `/metadata/${'k'.repeat(41)} field_invalid`],
    [JSON.parse('{"metadata":{"__proto__":{}}}'), '/metadata/__proto__ field_invalid'],
    [{ 'a/b~c': 1 }, '/a~1b~0c field_unknown'],
    ...[...amounts.split(' '), '', ' 1.00', '1.00 ', '1.00\n', 100, null].map(
      (amount): [object, string] => [{ amount }, '/amount amount_invalid'],
    ),
  ];
  it.each(refusals)('rejects %j (R1.3, R2.3, R3.1, R3.2, R3.3, R3.4, R3.5)', (change, error) => {
    expect(errorsOf({ ...validBody, ...change })).toEqual([error]);
  });
});

describe('the destination of a payout', () => {
  const card = { ...validBody, number: '2200 1234-5678 9012' };
  const phone = {
    ...validBody,
    method: 'WT_RUB_PHONE',
    number: '+79001234567',
    bankname: 'sberbank',
  };

  it.each([
    [card, { number: '2200123456789012', name: 'аноним' }],
    [
      { ...card, name: '', bankname: 'ignored' },
      { number: '2200123456789012', name: 'аноним' },
    ],
    [
      { ...card, number: ' 123456789012-', name: ' I. I. ' },
      { number: '123456789012', name: ' I. I. ' },
    ],
    [
      phone,
      {
        number: '+79001234567',
        name: 'аноним',
        bankname: 'sberbank',
        bankname_details: 'Сбербанк',
      },
    ],
    [
      { ...phone, number: '9001234567', name: 'Иван', bankname: 'tbank' },
      { number: '9001234567', name: 'Иван', bankname: 'tbank', bankname_details: 'Т-Банк' },
    ],
  ])('is normalised from %j (R3.7, R3.8, R3.9)', (body, destination) => {
    expect(readRequisites(parseCreateBody('payout', body))).toEqual(destination);
  });

  it.each([
    { ...card, number: '4111111111111111111' },
    { ...phone, number: '+123456789012345' },
  ])('is accepted in %j (R3.7, R3.8)', (body) => {
    expect(errorsOf(body, 'payout')).toEqual([]);
  });

  const unknownBanks = 'SBERBANK Sberbank Сбербанк sber __proto__ constructor toString';
  const refusals: [body: object, errors: string[]][] = [
    [{ ...card, number: undefined }, ['/number number_required']],
    [{ ...card, number: '' }, ['/number number_invalid']],
    [{ ...phone, number: undefined }, ['/number number_required']],
    [{ ...phone, number: '' }, ['/number number_invalid']],
    [
      { ...phone, number: undefined, bankname: undefined },
      ['/number number_required', '/bankname bankname_required'],
    ],
    [{ ...validBody, method: 'CARD' }, ['/method method_unknown', '/number number_required']],
    // What no method takes is said together with the unknown method.
    [{ ...card, method: 'X', number: '22' }, ['/method method_unknown', '/number number_invalid']],
    [{ ...phone, method: 'X' }, ['/method method_unknown']],
    [
      { ...phone, method: 'X', bankname: 'sber' },
      ['/method method_unknown', '/bankname bankname_unknown'],
    ],
    [
      { ...phone, method: 'X', bankname: undefined },
      ['/method method_unknown', '/bankname bankname_required'],
    ],
    [{ ...card, method: 'X', bankname: 'sber' }, ['/method method_unknown']],
    [
      { ...card, method: 'X', currency: 'USD' },
      ['/method method_unknown', '/currency currency_method_mismatch'],
    ],
    ...[
      '12345678901',
      '12345678901234567890',
      '2200 1234 5678 901x',
      '2200x1234567890',
      '2200.1234.5678.9012',
      '+2200123456789012',
      '٢٢٠٠١٢٣٤٥٦٧٨٩٠١٢',
      '2200\u00a01234\u00a05678\u00a09012',
      '2200123456789012\n',
      '- - -',
      '2200\u0000123456789012',
      `${' '.repeat(512)}2200123456789012`,
      2200123456789012,
      null,
    ].map((number): [object, string[]] => [{ ...card, number }, ['/number number_invalid']]),
    ...[
      '123456789',
      '+123456789',
      '1234567890123456',
      '+1234567890123456',
      '+7 900 123-45-67',
      '8(900)1234567',
      '7900-phone',
      '++79001234567',
      '7+9001234567',
      '7900123456+',
    ].map((number): [object, string[]] => [{ ...phone, number }, ['/number number_invalid']]),
    [{ ...phone, bankname: undefined }, ['/bankname bankname_required']],
    [{ ...phone, bankname: '' }, ['/bankname bankname_unknown']],
    ...[...unknownBanks.split(' '), '\ud800', 5, null, {}].map((bankname): [object, string[]] => [
      { ...phone, bankname },
      ['/bankname bankname_unknown'],
    ]),
    [{ ...card, bankname: 5 }, ['/bankname bankname_unknown']],
    [{ ...card, name: null }, ['/name field_invalid']],
    [{ ...card, shop_id: 's' }, ['/shop_id scope_field_forbidden']],
    [{ ...phone, currency: 'USD' }, ['/currency currency_method_mismatch']],
    [
      {
        ...phone,
        amount: '1',
        number: '1',
        bankname: 'x',
        client_ip: 'x',
        name: 1,
        merchant_id: 'm',
      },
      [
        '/client_ip client_ip_invalid',
        '/amount amount_invalid',
        '/name field_invalid',
        '/merchant_id scope_field_forbidden',
        '/number number_invalid',
        '/bankname bankname_unknown',
      ],
    ],
  ];
  it.each(refusals)('is rejected in %j (R3.7, R3.8)', (body, errors) => {
    expect(errorsOf(body, 'payout')).toEqual(errors);
  });
});

describe('the hash of a create request', () => {
  const hash = (json: string) => hashBody(parseCreateBody('payout', JSON.parse(json)));
  const sent = `{"merchant_operation_id":"a","client_id":"b","method":"WT_RUB_C2C","amount":"1.00","currency":"RUB","number":"2200123456789012"}`;

  it('ignores whitespace, key order and escapes in the JSON (R4.2)', () => {
    const rewritten = ` {"number":"\\u0032200123456789012", "currency":"RUB",\n"amount":"1.00","method":"WT_RUB_C2C","client_id":"b","merchant_operation_id":"a"}`;
    expect(hash(rewritten)).toBe(hash(sent));
  });

  it.each([
    ['an empty name', sent.replace('}', ',"name":""}')],
    ['the default name', sent.replace('}', ',"name":"аноним"}')],
    ['different grouping of the digits', sent.replace('2200', '2200 ')],
    ['an ignored bank', sent.replace('}', ',"bankname":""}')],
    ['another Unicode normal form', sent.replace('"b"', '"\u0062\u0301"')],
  ])('changes with %s', (_what, json) => {
    expect(hash(json)).not.toBe(hash(sent));
  });
});
