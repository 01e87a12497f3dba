import { describe, expect, it } from 'vitest';
import { Problem } from '#shared/platform/http/problems.ts';
import { mostRows, readPayoutFile } from './read-file.ts';

const header = 'merchant_operation_id,client_id,method,amount,currency,number,name,bankname';
const row = (id: string, change: { amount?: string; method?: string; number?: string } = {}) =>
  [
    id,
    'client-1',
    change.method ?? 'WT_RUB_C2C',
    change.amount ?? '100.00',
    'RUB',
    change.number ?? '2200 1234 5678 9010',
    '',
    '',
  ].join(',');
const read = (...lines: string[]) => readPayoutFile(Buffer.from(lines.join('\r\n')));
const refusal = (reading: Promise<unknown>) =>
  reading.then(
    () => undefined,
    (error: Problem) => ({ code: error.code, errors: error.errors?.map((e) => e.pointer) }),
  );

describe('a payout file', () => {
  it('is parsed into one create request per row (R24.1)', async () => {
    const { bodies, ...file } = await read(header, row('a'), row('b', { amount: '0.05' }), '');
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    expect(file).toEqual({
      rows: 2,
      total: { RUB: '100.05' },
      errors: [],
      numbers: [1, 2],
      faultyRows: [],
      idColumn: 0,
      sha256,
    });
    expect(bodies[0]).toEqual({
      merchant_operation_id: 'a',
      client_id: 'client-1',
      method: 'WT_RUB_C2C',
      amount: '100.00',
      currency: 'RUB',
      number: '2200 1234 5678 9010',
    });
  });

  it('has each error reported by row and field, and its valid rows totalled (R24.1)', async () => {
    const file = await read(
      header,
      row('a', { amount: '1' }),
      row('b', { number: '' }),
      row('c', { method: 'X' }),
      row('d'),
      row('d'),
      'e,f',
      'h,"i"j',
    );
    expect(file).toMatchObject({
      total: { RUB: '100.00' },
      errors: [
        { row: 1, pointer: '/amount', code: 'amount_invalid' },
        { row: 2, pointer: '/number', code: 'number_required' },
        { row: 3, pointer: '/method', code: 'method_unknown' },
        { row: 5, pointer: '/merchant_operation_id', code: 'field_invalid' },
        { row: 6, pointer: '', code: 'field_invalid' },
        { row: 7, pointer: '', code: 'field_invalid' },
      ],
    });
  });

  it('is rejected for a wrong header, without rows, and beyond 10,000 rows', async () => {
    const invalid = (...errors: string[]) => ({ code: 'invalid_request', errors });
    expect(await refusal(read(''))).toEqual(
      invalid(
        ...header
          .split(',')
          .slice(0, 6)
          .map((n) => `/${n}`),
      ),
    );
    expect(await refusal(read(`${header},shop_id`, row('a')))).toEqual(invalid('/shop_id'));
    expect(await refusal(read(header))).toEqual(invalid(''));
    const rows = Array.from({ length: mostRows }, (_, at) => row(String(at)));
    expect((await read(header, ...rows)).rows).toBe(mostRows);
    expect(await refusal(read(header, ...rows, row('more')))).toMatchObject({
      code: 'body_too_large',
    });
  });
});

it('gives the event loop a turn after each ten rows (R24.9)', async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => row(String(index)));
  let turns = 0;
  let reading = true;
  const count = () => {
    turns += 1;
    if (reading) setImmediate(count);
  };
  setImmediate(count);
  const { rows } = await readPayoutFile(Buffer.from([header, ...lines].join('\n')));
  reading = false;
  expect(rows).toBe(1_000);
  expect(turns).toBeGreaterThanOrEqual(100);
});
