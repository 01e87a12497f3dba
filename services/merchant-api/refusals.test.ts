import { expect, it } from 'vitest';
import { createApiWithoutStores } from './testing/api-without-stores.ts';
import { fieldExplanations } from '#shared/api/openapi/explanations.ts';

/**
 * A rejected request for every code of an invalid field. All are rejected before any store is
 * used.
 */

const { send, api } = createApiWithoutStores({ rate_limit: { per_second: 10_000, burst: 10_000 } });

const card = {
  merchant_operation_id: 'order-1',
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
};
const phone = { ...card, method: 'WT_RUB_PHONE', number: '+79001234567', bankname: 'vtb' };
const id = '00000000-0000-8000-8000-000000000000';

type Refusal = [path: string, body: object, error: string];

const createPaths = ['/v1/payment', '/v1/payment/link', '/v1/payout'];
const referencePaths = ['/v1/get_operation_state', '/v1/cancel_operation'];
const jsonPaths = [...createPaths, ...referencePaths];

const creations = createPaths.flatMap((path): Refusal[] => {
  const good = path === '/v1/payout' ? { ...card, number: '2200123456789012' } : card;
  return [
    [path, { ...good, client_id: undefined }, '/client_id field_required'],
    [path, { ...good, name: 5 }, '/name field_invalid'],
    [path, { ...good, card: '1' }, '/card field_unknown'],
    [path, { ...good, merchant_id: 'm' }, '/merchant_id scope_field_forbidden'],
    [path, { ...good, amount: 100 }, '/amount amount_invalid'],
    [path, { ...good, method: 5 }, '/method method_unknown'],
    [path, { ...good, currency: '' }, '/currency currency_unknown'],
    [path, { ...good, currency: 'EUR' }, '/currency currency_method_mismatch'],
    [path, { ...good, client_ip: '' }, '/client_ip client_ip_invalid'],
    [path, { ...good, number: false }, '/number number_invalid'],
    [path, { ...good, bankname: [] }, '/bankname bankname_unknown'],
  ];
});

const zeds = 'ZZZZZZZZ-0000-0000-0000-000000000000';
const references = referencePaths.flatMap((path): Refusal[] => [
  [path, {}, ' identifier_required'],
  [path, { operation_id: id, merchant_operation_id: 'a' }, ' identifier_ambiguous'],
  ...['order-1', null, '', 5, `${id}0`, `{${id}}`, zeds].map((operation_id): Refusal => [
    path,
    { operation_id },
    '/operation_id operation_id_invalid',
  ]),
  ...['', null, 5, ['a'], 'x'.repeat(513), 'a\u0000'].map((merchant_operation_id): Refusal => [
    path,
    { merchant_operation_id },
    '/merchant_operation_id field_invalid',
  ]),
  [path, { operation_id: id, shop_id: 's' }, '/shop_id scope_field_forbidden'],
  [path, { operation_id: id, id: 's' }, '/id field_unknown'],
]);

const refusals: Refusal[] = [
  ...creations,
  ...references,
  ['/v1/payout', { ...card, number: undefined }, '/number number_required'],
  ['/v1/payout', { ...phone, bankname: undefined }, '/bankname bankname_required'],
  [
    '/v1/cancel_operation',
    { operation_id: id, reason: 'я'.repeat(1025) },
    '/reason reason_too_long',
  ],
  ['/v1/cancel_operation', { operation_id: id, reason: null }, '/reason field_invalid'],
];

it.each(refusals)('POST %s rejects %j: %s (R2.3, R2.4, R8.2, R10.1)', async (path, body, error) => {
  const { status, problem } = await send(`POST ${path}`, { body: JSON.stringify(body) });
  expect([status, errorsOf(problem)]).toEqual([400, [error]]);
});

const parts: [parts: Record<string, string | Blob>, error: string][] = [
  [{ operation_id: '' }, '/operation_id operation_id_invalid'],
  [{ operation_id: 'order-1' }, '/operation_id operation_id_invalid'],
  [{ confirmation_type: 'cheque' }, '/confirmation_type confirmation_type_unknown'],
  [{ confirmation_type: '' }, '/confirmation_type confirmation_type_unknown'],
  [{ receipt: new Blob([]) }, '/receipt receipt_required'],
  [{ comment: 'a' }, '/comment field_unknown'],
  [{ shop_id: 'a' }, '/shop_id scope_field_forbidden'],
];

async function confirm(...fields: [name: string, value: string | Blob][]) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const init = { method: 'POST', body: form, headers: { 'x-api-key': 'key' } };
  const response = await api.request('/v1/confirm_payment', init);
  return [response.status, errorsOf(await response.json())];
}

it.each(parts)('POST /v1/confirm_payment rejects %j: %s', async (changed, error) => {
  const good = { operation_id: id, confirmation_type: 'receipt', receipt: new Blob(['%PDF-']) };
  expect(await confirm(...Object.entries({ ...good, ...changed }))).toEqual([400, [error]]);
});

it('POST /v1/confirm_payment reports all errors of a form at once (R9.1)', async () => {
  const missing = [
    '/operation_id field_required',
    '/confirmation_type field_required',
    '/shop_id scope_field_forbidden',
    '/note field_unknown',
    '/receipt receipt_required',
  ];
  expect(await confirm(['shop_id', 'x'], ['note', 'x'])).toEqual([400, missing]);
  const receipt: [string, Blob] = ['receipt', new Blob(['%PDF-'])];
  const twice = [['operation_id', id], ['confirmation_type', 'receipt'], receipt, receipt] as const;
  expect(
    await confirm(...twice.map(([name, value]): [string, string | Blob] => [name, value])),
  ).toEqual([400, ['/receipt field_invalid']]);
});

it('the cases above cover every field code (R2.2)', () => {
  const covered = [...refusals.map(([, , error]) => error), ...parts.map(([, error]) => error)];
  const codes = new Set(covered.map((error) => error.split(' ')[1] ?? ''));
  expect(Array.from(codes).toSorted()).toEqual(Object.keys(fieldExplanations).toSorted());
});

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const notJson = ['', '{', 'undefined', '{"a":1}{', '{} {}', '{"a":1,}', "{'a':1}", '{"amount":01}'];
const malformed = ['\u0000', '"', '\ufeff{', nested(65), '['.repeat(5_000)];

it.each([...notJson, ...malformed])(
  'returns invalid_json for a malformed body: %j (R2.4, R2.10)',
  async (body) => {
    for (const path of jsonPaths) {
      const { status, problem } = await send(`POST ${path}`, { body });
      expect([path, status, (problem as { code: string }).code]).toEqual([
        path,
        400,
        'invalid_json',
      ]);
    }
  },
);

it.each(['{"a":"\\u0000"}', '{"__proto__":{"a":1}}', '{"a":1e400}'])(
  'returns invalid_request for hostile JSON: %s (R2.10)',
  async (body) => {
    for (const path of jsonPaths) {
      const { status, problem } = await send(`POST ${path}`, { body });
      expect([status, errorsOf(problem).length > 0]).toEqual([400, true]);
    }
  },
);

it.each(['[]', '"text"', '5', 'null', 'true'])(
  'returns invalid_request for JSON that is not an object: %s (R2.4)',
  async (body) => {
    for (const path of jsonPaths) {
      const { status, problem } = await send(`POST ${path}`, { body });
      expect([status, errorsOf(problem)]).toEqual([400, [' field_invalid']]);
    }
  },
);

function errorsOf(problem: unknown): string[] {
  const { code, errors = [] } = problem as {
    code: string;
    errors?: { pointer: string; code: string }[];
  };
  expect(code).toBe('invalid_request');
  return errors.map((error) => `${error.pointer} ${error.code}`);
}
