import { describe, expect, it } from 'vitest';
import { inOneChunk } from './files/source.ts';
import { readStatementFile } from './read-file.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const header = 'kind,direction,leg_id,amount,currency,completed_at,of_leg_id,operation_id,attempt';
const good =
  'transfer,in,leg-1,100.00,RUB,2026-01-31T12:00:00.000Z,,6f1d5b1e-0000-8000-8000-000000000001,1';
const read = (...lines: string[]) =>
  readStatementFile(inOneChunk(Buffer.from(`${lines.join('\n')}\n`)), of);

describe('a statement file', () => {
  it('is parsed into lines in order (R22.9)', async () => {
    const chargeback = 'chargeback,out,back-1,100.00,RUB,2026-01-31T13:00:00Z,leg-1,,';
    expect(await read(`\uFEFF${header}`, good, chargeback)).toMatchObject({
      ok: true,
      lines: [
        {
          line: 1,
          kind: 'transfer',
          direction: 'in',
          leg_id: 'leg-1',
          operation_id: '6f1d5b1e-0000-8000-8000-000000000001',
          attempt: 1,
          amount: '100.00',
          completed_at: '2026-01-31T12:00:00.000Z',
        },
        {
          line: 2,
          kind: 'chargeback',
          direction: 'out',
          leg_id: 'back-1',
          of_leg_id: 'leg-1',
          amount: '100.00',
          completed_at: '2026-01-31T13:00:00Z',
        },
      ],
    });
  });

  it('may reorder its columns and omit optional ones', async () => {
    const short = await read(
      'currency,amount,leg_id,kind,direction,completed_at',
      'RUB,5.00,fee-1,fee,out,2026-02-01T00:10:00.000Z',
    );
    expect(short).toMatchObject({
      ok: true,
      lines: [{ kind: 'fee', leg_id: 'fee-1', amount: '5.00' }],
    });
    expect(await read(header)).toMatchObject({ ok: true, lines: [] });
  });

  it.each([
    ['kind', good.replace('transfer', 'gift')],
    ['direction', good.replace(',in,', ',up,')],
    ['leg_id', good.replace('leg-1', '')],
    ['leg_id', good.replace('leg-1', 'l'.repeat(257))],
    ['leg_id', good.replace('leg-1', 'l\0')],
    ['amount', good.replace('100.00', '100.0')],
    ['amount', good.replace('100.00', '-100.00')],
    ['currency', good.replace('RUB', 'USD')],
    ['completed_at', good.replace('2026-01-31T12', '2026-01-29T12')],
    ['completed_at', good.replace('2026-01-31T12', '2026-02-02T00')],
    ['completed_at', good.replace('T12:00:00.000Z', '')],
    ['attempt', good.replace(/1$/, '0')],
    ['attempt', good.replace(/1$/, '2147483648')],
    ['completed_at', good.replace('.000Z', `.${'0'.repeat(40)}Z`)],
    ['attempt', good.replace('6f1d5b1e-0000-8000-8000-000000000001', '')],
    ['operation_id', good.replace('6f1d5b1e', '6'.repeat(60))],
    ['field_count', `${good},x`],
    ['csv_quotes', good.replace('leg-1', 'l"1')],
  ])('is rejected with the number of the invalid line: %s (R22.9)', async (code, invalidLine) => {
    expect(await read(header, good, invalidLine)).toMatchObject({
      ok: false,
      errors: [{ line: 3, code }],
    });
  });

  it.each(['x', 'kind,direction', `${header},colour`, header.replace('attempt', 'kind')])(
    'must have each column once: %j (R22.9)',
    async (first) => {
      const errors = [{ line: 1, code: 'header' }];
      expect(await read(first, good)).toMatchObject({ ok: false, errors });
    },
  );

  it('has its first hundred invalid lines reported (R22.9)', async () => {
    const invalidLines = Array.from({ length: 150 }, () => good.replace('RUB', 'USD'));
    const refused = await read(header, ...invalidLines);
    expect(refused).toMatchObject({ ok: false });
    expect(refused.ok ? [] : refused.errors).toHaveLength(100);
    expect(await readStatementFile(inOneChunk(new Uint8Array()), of)).toMatchObject({
      ok: false,
      errors: [{ line: 1, code: 'header' }],
    });
  });
});
