import { describe, expect, it } from 'vitest';
import { Problem, type FieldError } from '#shared/platform/http/problems.ts';
import { endpoints } from '#shared/api/openapi/document.ts';
import { createApiWithoutStores } from '../../testing/api-without-stores.ts';
import { decodeListCursor, encodeListCursor } from './cursor.ts';
import { operationsQuerySchema, readOperationsQuery } from './query.ts';

const read = (query: string) => readOperationsQuery(new URLSearchParams(query));
const errorsOf = (query: string): readonly FieldError[] => {
  try {
    read(query);
  } catch (error) {
    if (error instanceof Problem) return error.errors ?? [];
  }
  throw new Error(`${query} is taken`);
};
const cursor = encodeListCursor({
  createdAt: '2026-01-31T12:00:00.000Z',
  operationId: '0f8fad5b-d9cb-869f-a165-70867728950e',
  asOf: '2026-01-31T12:00:02.000Z',
});

describe('query of the operations list', () => {
  it('defaults to a limit of 50 without filters', () => {
    expect(read('')).toEqual({ limit: 50 });
  });

  it.each(Object.keys(operationsQuerySchema.shape))(
    'rejects an empty or repeated %s (R10.11)',
    (name) => {
      const invalid = [{ pointer: `/${name}`, code: 'field_invalid' }];
      expect(errorsOf(`${name}=`)).toMatchObject(invalid);
      expect(errorsOf(`${name}=1&${name}=2`)).toMatchObject(invalid);
    },
  );

  it.each([
    ['type', 'refund'],
    ['type', 'PAYMENT'],
    ['status', 'creating'],
    ['status', 'completed,declined'],
    ['client_id', 'x'.repeat(513)],
    ['merchant_operation_id', 'a%00b'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', '-1'],
    ['limit', '1e1'],
    ['limit', '05'],
    ['limit', 'ten'],
    ['cursor', 'x'],
    ['cursor', `${cursor}=`],
    ['cursor', `${cursor}A`],
    ['cursor', Buffer.from('[]').toString('base64url')],
    ['created_from', '2026-01-31'],
    ['created_from', '2026-01-31T12:00Z'],
    ['created_from', '2026-01-31T12:00:00'],
    ['created_from', '2026-02-30T12:00:00Z'],
    ['created_from', '2026-01-31 12:00:00Z'],
    ['created_from', '2026-01-31T12:00:00+03:00'],
    ['created_to', '1767225600'],
    ['created_to', 'yesterday'],
  ])('rejects %s=%s (R10.11)', (name, value) => {
    // An unencoded + is a space.
    expect(errorsOf(`${name}=${value}`)).toMatchObject([
      { pointer: `/${name}`, code: 'field_invalid' },
    ]);
  });

  it('rejects unknown parameters (R10.11)', () => {
    expect(errorsOf('state=completed&Type=payment&shop_id=1&__proto__=1&limit=0')).toMatchObject([
      { pointer: '/limit', code: 'field_invalid' },
      { pointer: '/state', code: 'field_unknown' },
      { pointer: '/Type', code: 'field_unknown' },
      { pointer: '/shop_id', code: 'scope_field_forbidden' },
      { pointer: '/__proto__', code: 'field_unknown' },
    ]);
  });

  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31t12:00:00.5z', '2026-01-31T12:00:00.500Z'],
    ['2026-01-31T12:00:00%2B03:00', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T12:00:00-23:59', '2026-02-01T11:59:00.000Z'],
    // Times of operations are whole milliseconds, so this one is rounded up.
    ['2026-01-31T12:00:00.1230001Z', '2026-01-31T12:00:00.124Z'],
    ['2026-01-31T12:00:00.1230000Z', '2026-01-31T12:00:00.123Z'],
    ['0000-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ])('accepts the time %s', (sent, expected) => {
    expect(read(`created_from=${sent}`).created_from?.toISOString()).toBe(expected);
    expect(read(`created_to=${sent}`).created_to?.toISOString()).toBe(expected);
  });

  it('accepts a cursor that the gateway issued', () => {
    expect(read(`cursor=${cursor}`).cursor).toEqual(decodeListCursor(cursor));
  });

  it('has the parameters of the OpenAPI document', () => {
    const { parameters = [] } = endpoints.find(({ id }) => id === 'listOperations') ?? {};
    expect(parameters.map(({ name }) => name)).toEqual(Object.keys(operationsQuerySchema.shape));
  });
});

it('returns 503 without a database, but still rejects an invalid query', async () => {
  const { send } = createApiWithoutStores();
  expect(await send('GET /v1/operations')).toMatchObject({
    status: 503,
    problem: { code: 'not_ready', retryable: true },
  });
  expect((await send('GET /v1/operations?limit=1000')).status).toBe(400);
  expect((await send('GET /v1/operations', { headers: {} })).status).toBe(401);
});
