import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from './line.ts';
import { readCsv, type CsvRecord } from './read.ts';

async function* chunks(text: string | Uint8Array, size = 1_000_000): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function read(text: string | Uint8Array, size?: number): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of readCsv(chunks(text, size))) records.push(record);
  return records;
}

describe('readCsv', () => {
  it.each([
    [
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"a,b","c""d"\n', [['a,b', 'c"d']]],
    ['"two\nlines",b\n', [['two\nlines', 'b']]],
    ['"a"\r\nb\r\n', [['a'], ['b']]],
    [',\n', [['', '']]],
    ['', []],
  ])('parses the records of %j', async (text, cells) => {
    for (const size of [1, 2, 1_000])
      expect(
        (await read(text, size)).map((record) => ('cells' in record ? record.cells : record)),
      ).toEqual(cells);
  });

  it('returns the line on which each record begins', async () => {
    const records = await read('a\n"b\nb"\nc\n');
    expect(records.map(({ line }) => line)).toEqual([1, 2, 4]);
  });

  it.each([
    ['a\nb"c\n', { line: 2, fault: 'csv_quotes' }],
    ['a\n"b"c\n', { line: 2, fault: 'csv_quotes' }],
    ['a\n"b\n', { line: 2, fault: 'csv_quotes' }],
    [`a\n${'b'.repeat(9_000)}\n`, { line: 2, fault: 'csv_too_long' }],
    [Buffer.from([0x61, 0x0a, 0xff, 0x0a]), { line: 1, fault: 'csv_not_utf8' }],
    [Buffer.from([0x61, 0xd1]), { line: 1, fault: 'csv_not_utf8' }],
  ])('ends with a fault at malformed input: %j', async (text, fault) => {
    expect((await read(text)).at(-1)).toEqual(fault);
  });

  it('reads back the lines of csvLine, in chunks of any size', async () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 })),
        fc.nat(20),
        async (rows, n) => {
          const text = rows
            .map((row) => csvLine(row.map((value) => ({ value, foreign: false }))))
            .join('');
          const records = await read(text, n + 1);
          expect(records.map((record) => ('cells' in record ? record.cells : record))).toEqual(
            rows,
          );
        },
      ),
    );
  });
});
