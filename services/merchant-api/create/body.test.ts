import { describe, expect, it } from 'vitest';
import { Problem } from '#shared/http/problems.ts';
import { validate } from '#shared/http/validate.ts';
import { createBodyRules, createBodySchema } from './body.ts';

const good = {
  merchant_operation_id: 'order-1',
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
};

/** The errors of a body as `pointer code`, in order; none for a good one. */
function errorsOf(body: unknown): string[] {
  try {
    validate(createBodySchema, body, createBodyRules);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe('the create request', () => {
  it.each([
    ['the least', {}],
    ['fields that a payment does not use', { number: '', name: '', bankname: 'whatever' }],
    ['an IPv6 address', { client_ip: '2001:db8::1' }],
    ['512 characters outside the basic plane', { client_id: '🙂'.repeat(512) }],
    ['the largest amount', { amount: '999999999999999.99' }],
  ])('takes %s', (_what, change) => {
    expect(errorsOf({ ...good, ...change })).toEqual([]);
  });

  const refusals: [change: object, error: string][] = [
    [{ merchant_operation_id: undefined }, '/merchant_operation_id field_required'],
    [{ merchant_operation_id: '' }, '/merchant_operation_id field_invalid'],
    [{ merchant_operation_id: null }, '/merchant_operation_id field_invalid'],
    [{ merchant_operation_id: 'a\0b' }, '/merchant_operation_id field_invalid'],
    [{ client_id: '\ud800' }, '/client_id field_invalid'],
    [{ client_id: 'x'.repeat(513) }, '/client_id field_invalid'],
    [{ client_ip: '1.2.3' }, '/client_ip client_ip_invalid'],
    [{ client_ip: 'fe80::1%eth0' }, '/client_ip client_ip_invalid'],
    [{ client_ip: null }, '/client_ip client_ip_invalid'],
    [{ method: 'CARD' }, '/method method_unknown'],
    [{ method: 'toString' }, '/method method_unknown'],
    [{ currency: 'rub' }, '/currency currency_unknown'],
    [{ currency: 'USD' }, '/currency currency_method_mismatch'],
    [{ number: 5 }, '/number number_invalid'],
    [{ merchant_id: 'm' }, '/merchant_id scope_field_forbidden'],
    [{ shop_id: 's' }, '/shop_id scope_field_forbidden'],
    [{ amuont: '1.00' }, '/amuont field_unknown'],
    [{ 'a/b~c': 1 }, '/a~1b~0c field_unknown'],
    ...[
      '0.00',
      '1',
      '1.0',
      '1.000',
      '01.00',
      '-1.00',
      '+1.00',
      ' 1.00',
      '1e2',
      '1000000000000000.00',
      '',
      100,
      null,
    ].map((amount): [object, string] => [{ amount }, '/amount amount_invalid']),
  ];
  it.each(refusals)('refuses %j', (change, error) => {
    expect(errorsOf({ ...good, ...change })).toEqual([error]);
  });

  it('lists every invalid field, not only the first', () => {
    expect(
      errorsOf({ amount: '1', currency: 'USD', method: 'WT_RUB_PHONE', shop_id: 's', extra: 1 }).toSorted(),
    ).toEqual([
      '/amount amount_invalid',
      '/client_id field_required',
      '/currency currency_method_mismatch',
      '/extra field_unknown',
      '/merchant_operation_id field_required',
      '/shop_id scope_field_forbidden',
    ]);
  });

  it.each([[[]], ['text'], [5], [null], [true]])('refuses %j, which is no object', (body) => {
    expect(errorsOf(body)).toEqual([' field_invalid']);
  });
});
