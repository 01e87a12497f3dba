import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { storedNumber } from '#shared/domain/methods/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { inUtf16, inWindows1251 } from '../statements/testing/bank-files.ts';
import type { CreateBody } from '../create-body/body.ts';
import { payoutFileColumns, readPayoutFile } from './read-file.ts';
import { styles, workbookFile, type CellXml } from './testing/workbook-file.ts';

const numRuns = Number(process.env['PAYOUT_FILES'] ?? 10_000);

type Column = (typeof payoutFileColumns)[number];
type Row = { [Name in Column]: string };

/** Also what CSV quotes and XML escapes, and no scientific notation. */
const word = fc.stringMatching(/^[a-zA-Zа-яА-Я0-9 ;,"'&<>=_\t\n-]{1,20}$/);
const row: fc.Arbitrary<Row> = fc
  .record({
    merchant_operation_id: fc.oneof(word, fc.stringMatching(/^[1-9]\d{0,14}$/)),
    client_id: word,
    isCard: fc.boolean(),
    minor: fc.integer({ min: 1, max: 10 ** 12 }),
    digits: fc.stringMatching(/^[1-9]\d{15}$/),
    name: fc.oneof(word, fc.constant('')),
  })
  .map(({ isCard, minor, digits, ...fields }) => ({
    ...fields,
    method: isCard ? 'WT_RUB_C2C' : 'WT_RUB_PHONE',
    amount: fromMinor(BigInt(minor)),
    currency: 'RUB',
    number: isCard ? digits : `+${digits.slice(0, 11)}`,
    bankname: isCard ? '' : 'sberbank',
  }));
const table = fc.uniqueArray(row, {
  minLength: 1,
  maxLength: 6,
  selector: (each) => each.merchant_operation_id,
});

/** How a spreadsheet, or who filled it in, writes the same rows. */
const dialect = fc.record({
  columns: fc.shuffledSubarray([...payoutFileColumns], { minLength: payoutFileColumns.length }),
  form: fc.constantFrom(
    'utf-8',
    'utf-8 with mark',
    'utf-16le',
    'utf-16be',
    'windows-1251',
    '.xlsx',
  ),
  separator: fc.constantFrom(',', ';', '\t'),
  decimal: fc.constantFrom('.', ','),
  grouped: fc.constantFrom('', ' ', '\u{A0}'),
  spacing: fc.constantFrom('', ' ', '-', '\u{A0}'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  quotes: fc.boolean(),
  emptyRows: fc.nat(3),
  emptyColumns: fc.nat(2),
  /** Of .xlsx: whether what can be is stored as a number, and where texts are. */
  numbers: fc.boolean(),
  inline: fc.boolean(),
});
type Dialect = typeof dialect extends fc.Arbitrary<infer Value> ? Value : never;

const quoted = (text: string, { separator, quotes }: Dialect): string =>
  quotes || /["\r\n]/.test(text) || text.includes(separator)
    ? `"${text.replaceAll('"', '""')}"`
    : text;

function written(each: Row, column: Column, { decimal, grouped, spacing }: Dialect): string {
  const text = each[column];
  if (column === 'amount')
    return text.replaceAll(/\B(?=(?:\d{3})+\.)/g, grouped).replace('.', decimal);
  return column === 'number' ? text.replaceAll(/(?<=\d{4})(?=\d)/g, spacing) : text;
}

function csv(rows: readonly Row[], options: Dialect): Uint8Array {
  const { columns, separator, lineEnd, form, emptyRows, emptyColumns } = options;
  const line = (cells: readonly string[]) =>
    [...cells.map((cell) => quoted(cell, options)), ...Array<string>(emptyColumns).fill('')].join(
      separator,
    ) + lineEnd;
  const empty = line(columns.map(() => '')).replaceAll('"', '');
  const lines = rows.map((each) => line(columns.map((name) => written(each, name, options))));
  const text = line(columns) + lines.join('') + empty.repeat(emptyRows);
  if (form === 'windows-1251') return inWindows1251(text);
  if (form === 'utf-16le') return inUtf16(text, 'le');
  if (form === 'utf-16be') return inUtf16(text, 'be');
  return Buffer.from(form === 'utf-8' ? text : `\u{FEFF}${text}`);
}

function xlsx(rows: readonly Row[], options: Dialect): Uint8Array {
  const { columns, numbers, inline, emptyRows } = options;
  const cell = (each: Row, name: Column): CellXml => {
    const text = each[name];
    if (text === '') return undefined;
    if (numbers && name === 'amount') return { v: String(Number(text)), s: styles.money };
    if (numbers && name === 'merchant_operation_id' && /^[1-9]\d{0,14}$/.test(text))
      return { v: text };
    const shown = written(each, name, options);
    return inline ? { inline: shown } : shown;
  };
  return workbookFile([
    columns,
    ...rows.map((each) => columns.map((name) => cell(each, name))),
    ...Array.from({ length: emptyRows }, () => []),
  ]);
}

/** Unpacked, where changes would be found by the archive's checksums. */
const sheetPart = 'xl/worksheets/sheet1.xml';
const isXlsx = ({ form }: Dialect) => form === '.xlsx';
const file = (rows: readonly Row[], options: Dialect) =>
  isXlsx(options) ? xlsx(rows, options) : csv(rows, options);
const bare = (body: CreateBody): Record<string, unknown> => ({
  ...body,
  number: storedNumber(body.method, body.number ?? ''),
});

describe('a payout file in any dialect', () => {
  it('is its rows (R24.17)', async () => {
    await fc.assert(
      fc.asyncProperty(table, dialect, async (rows, options) => {
        const { errors, bodies } = await readPayoutFile(file(rows, options));
        expect(errors).toEqual([]);
        const expected = rows.map((each) =>
          Object.fromEntries(Object.entries(each).filter(([, text]) => text !== '')),
        );
        expect(bodies.map(bare)).toEqual(expected);
      }),
      { numRuns },
    );
  });

  const change = fc.record({ at: fc.nat(20_000), byte: fc.nat(255) });
  const changes = fc.array(change, { minLength: 1, maxLength: 20 });
  const changedIn = (bytes: Uint8Array, changed: readonly { at: number; byte: number }[]) => {
    const copy = Uint8Array.from(bytes);
    for (const { at, byte } of changed) copy[at % copy.length] = byte;
    return copy;
  };
  /** Reads a file that may be damaged. */
  const tryToRead = async (bytes: Uint8Array) => {
    const refused: unknown = await readPayoutFile(bytes).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused === undefined) return;
    expect(refused).toBeInstanceOf(Problem);
    expect(['invalid_request', 'body_too_large']).toContain((refused as Problem).code);
  };

  it('with changed bytes, or cut off, is read or refused with a code (R24.17)', async () => {
    await fc.assert(
      fc.asyncProperty(table, dialect, changes, fc.nat(), async (rows, options, changed, end) => {
        const bytes = file(rows, options);
        await tryToRead(changedIn(bytes, changed));
        await tryToRead(bytes.subarray(0, end % bytes.length));
      }),
      { numRuns },
    );
  });

  it('with a changed sheet in .xlsx is read or refused with a code (R24.17)', async () => {
    await fc.assert(
      fc.asyncProperty(table, changes, async (rows, changed) => {
        const part = (xml: string) => Buffer.from(changedIn(Buffer.from(xml), changed)).toString();
        const cells = rows.map((each) => payoutFileColumns.map((name) => each[name]));
        await tryToRead(workbookFile([[...payoutFileColumns], ...cells], { [sheetPart]: part }));
      }),
      { numRuns },
    );
  });
});
