import { describe, expect, it } from 'vitest';
import { Problem } from '#shared/platform/http/problems.ts';
import { inUtf16, inWindows1251 } from '../statements/testing/bank-files.ts';
import { payoutFileColumns, readPayoutFile } from './read-file.ts';
import { styles, workbookFile, zip, type CellXml } from './testing/workbook-file.ts';

const card = ['a', 'c', 'WT_RUB_C2C', '1500.00', 'RUB', '2200123456789010', 'Пётр', ''];
const phone = ['b', 'c', 'WT_RUB_PHONE', '0.50', 'RUB', '+79001234567', 'Анна', 'sberbank'];
const rows = [[...payoutFileColumns], card, phone];

const csv = (separator = ',', table: readonly (readonly string[])[] = rows) =>
  table.map((row) => `${row.join(separator)}\r\n`).join('');
/** The table with other texts in some cells of its rows. */
const changed = (cells: Readonly<Record<string, [card: string, phone: string]>>) =>
  rows.map((row, at) =>
    row.map((text, column) => cells[payoutFileColumns[column] ?? '']?.[at - 1] ?? text),
  );

const read = async (file: Uint8Array | string) => {
  const { rows: count, total, errors, bodies } = await readPayoutFile(Buffer.from(file));
  return { count, total, errors, bodies };
};
const problem = async (file: Uint8Array) =>
  readPayoutFile(file).then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      const { code, detail, errors } = error;
      return {
        code,
        detail,
        pointers: errors?.map(({ pointer }) => pointer),
        reasons: errors?.map((each) => each.detail),
      };
    },
  );

describe('a payout file in any form is the same rows (R24.17):', () => {
  const written = changed({ amount: ['1 500,00', '0,50'] });
  it.each<[string, Uint8Array | string]>([
    ['UTF-8 with a mark and semicolons', `\u{FEFF}${csv(';', written)}`],
    ['windows-1251 and semicolons', inWindows1251(csv(';', written))],
    ['UTF-16 and tabs, as Excel’s Unicode text', inUtf16(csv('\t', written), 'le')],
    ['quoted amounts between commas', csv(',', changed({ amount: ['"1500,00"', '0.50'] }))],
    ['a line that names the separator', `sep=;\r\n${csv(';')}`],
    [
      'rows and columns that were emptied',
      csv(';', rows).replaceAll('\r\n', ';;\r\n') + ';;;;;;;;;\r\n\r\n',
    ],
    ['groups with no-break spaces', csv(';', changed({ amount: ['1\u{A0}500,00', '0,50'] }))],
    ['.xlsx with texts', workbookFile(written)],
    ['.xlsx with inline texts', workbookFile(rows.map((row) => row.map((inline) => ({ inline }))))],
    [
      '.xlsx with numbers',
      workbookFile([
        rows[0] ?? [],
        [...card.slice(0, 3), { v: '1500', s: styles.money }, ...card.slice(4)],
        [...phone.slice(0, 3), { v: '0.50000000000000004' }, ...phone.slice(4)],
      ]),
    ],
  ])('%s', async (_, file) => {
    expect(await read(file)).toEqual(await read(csv()));
    expect((await read(csv())).bodies).toHaveLength(2);
  });
});

it('takes numbers as people write them (R24.17)', async () => {
  const numbers = async (...written: [card: string, phone: string]) => {
    const { errors, bodies } = await read(csv(';', changed({ number: written })));
    expect(errors).toEqual([]);
    return bodies.map(({ number }) => number);
  };
  // A card number with spaces is one that a request may have, and stays as it is.
  expect(await numbers('2200 1234 5678 9010', '+7 (900) 123-45-67')).toEqual([
    '2200 1234 5678 9010',
    '+79001234567',
  ]);
  expect(await numbers('2200\u{A0}1234\u{A0}5678\u{A0}9010', '8\u{2011}900 1234567')).toEqual([
    '2200123456789010',
    '89001234567',
  ]);
});

it('takes the text of an ID that looks like a number in scientific notation', async () => {
  const text = csv(';', changed({ merchant_operation_id: ['5E+12', '7,9E+10'] }));
  const { errors, bodies } = await read(text);
  expect(errors).toEqual([]);
  expect(bodies.map(({ merchant_operation_id: id }) => id)).toEqual(['5E+12', '7,9E+10']);
});

it('repeats no more than 64 characters of a name that is no column’s', async () => {
  const wrong = workbookFile([[...payoutFileColumns, 'x'.repeat(10_000)], card]);
  expect(await problem(wrong)).toMatchObject({ pointers: [`/${'x'.repeat(64)}`] });
});

/** The errors of a sheet's only row, in which one cell is another one. */
const errorsWith = async (column: (typeof payoutFileColumns)[number], cell: CellXml) => {
  const at = payoutFileColumns.indexOf(column);
  const row = card.map((text, index) => (index === at ? cell : text));
  return (await read(workbookFile([rows[0] ?? [], row]))).errors;
};

it.each<[string, (typeof payoutFileColumns)[number], CellXml, string]>([
  ['D2 cell_formula', 'amount', { v: '1500', f: 'SUM(A1:A2)' }, '/amount'],
  ['D2 cell_formula', 'amount', { v: '1500', t: 'str', f: 'A1' }, '/amount'],
  ['D2 cell_date', 'amount', { v: '45000', s: styles.date }, '/amount'],
  ['D2 cell_number', 'amount', { v: '1500', s: styles.scientific }, '/amount'],
  ['D2 cell_number', 'amount', { v: '1.5E+15' }, '/amount'],
  ['D2 cell_number', 'amount', '1,5E+03', '/amount'],
  ['D2 amount_invalid', 'amount', { v: '1500.005' }, '/amount'],
  ['D2 amount_invalid', 'amount', { v: '-1500' }, '/amount'],
  ['D2 field_invalid', 'amount', { v: '1', t: 'b' }, '/amount'],
  ['D2 field_invalid', 'amount', { v: '#REF!', t: 'e' }, '/amount'],
  ['F2 cell_number', 'number', '2,20012E+15', '/number'],
  ['F2 cell_number', 'number', { v: '2200123456789010' }, '/number'],
  ['F2 cell_number', 'number', { v: '2.20012345678901E+15' }, '/number'],
  ['F2 cell_number', 'number', { v: '9001234567', s: styles.prefixed }, '/number'],
  ['A2 cell_date', 'merchant_operation_id', { v: '2026-01-31', t: 'd' }, '/merchant_operation_id'],
  ['A2 cell_number', 'merchant_operation_id', { v: '1.5' }, '/merchant_operation_id'],
])(
  'names the cell that a spreadsheet spoiled: %s (R24.17)',
  async (error, column, cell, pointer) => {
    const [name, code] = error.split(' ');
    expect(await errorsWith(column, cell)).toEqual([{ row: 1, pointer, code, cell: name }]);
  },
);

/** What an amount is read as in a format that the workbook declares, or has by its number. */
const amountIn = async (format: string | number, v: string) => {
  const id = typeof format === 'number' ? format : 164;
  const code = String(format).replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const declared = `<numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts>`;
  const xf = `<cellXfs><xf numFmtId="${id}"/></cellXfs>`;
  const style = { 'xl/styles.xml': `<styleSheet>${declared}${xf}</styleSheet>` };
  const cells = rows.slice(0, 2).map((row) => row.map((inline) => ({ inline })));
  const row = (cells[1] ?? []).map((cell, at) => (at === 3 ? { v, s: 0 } : cell));
  const { errors, bodies } = await read(workbookFile([cells[0] ?? [], row], style));
  return bodies[0]?.amount ?? errors[0]?.code;
};

it.each([
  ['General', '1500.55', '1500.55'],
  ['General" ₽"', '1500.55', '1500.55'],
  ['0.00', '1500.55', '1500.55'],
  ['#,##0.00\\ "р."', '1500.55', '1500.55'],
  ['#\\ ##0.00', '1500.55', '1500.55'],
  ['_-* #,##0.00\\ _₽_-;\\-* #,##0.00\\ _₽_-;_-* "-"??\\ _₽_-;_-@_-', '1500.55', '1500.55'],
  ['#,##0.00_);[Red](#,##0.00)', '1500.55', '1500.55'],
  [4, '1500.55', '1500.55'],
  [1, '1500', '1500.00'],
  ['#,##0', '1500', '1500.00'],
  ['0.0', '1500.5', '1500.50'],
  ['0.000', '1500.55', '1500.55'],
  ['0', '1500.55', 'cell_number'],
  [1, '1500.55', 'cell_number'],
  [3, '1500.55', 'cell_number'],
  [37, '1500.55', 'cell_number'],
  ['#,##0', '1500.55', 'cell_number'],
  ['0.0', '1500.55', 'cell_number'],
  [';;;', '1500.55', 'cell_number'],
  ['"paid";0.00', '1500.55', 'cell_number'],
  ['-0.00', '1500.55', 'cell_number'],
  ['[<1]0.00;0', '1500.55', 'cell_number'],
  ['0\\.00', '1500', 'cell_number'],
])('takes an amount only as its cell shows it: in %s, %s is %s (R24.17)', async (...args) => {
  const [format, stored, amount] = args;
  expect(await amountIn(format, stored)).toBe(amount);
});

it('takes a long format of a workbook for none that shows an amount', async () => {
  const code = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${' '.repeat(100_000)}x"/></numFmts><cellXfs>${'<xf numFmtId="164"/>'.repeat(10_000)}</cellXfs></styleSheet>`;
  const row = [...card.slice(0, 3), { v: '1500', s: 9_999 }, ...card.slice(4)];
  const { errors } = await read(workbookFile([rows[0] ?? [], row], { 'xl/styles.xml': code }));
  expect(errors).toMatchObject([{ code: 'cell_number', cell: 'D2' }]);
});

it('gives the event loop a turn after each ten rows, empty ones too (R24.9)', async () => {
  let turns = 0;
  let reading = true;
  const count = () => {
    turns += 1;
    if (reading) setImmediate(count);
  };
  setImmediate(count);
  await read(csv() + ';\r\n'.repeat(1_000));
  reading = false;
  expect(turns).toBeGreaterThanOrEqual(100);
});

it('takes what a spreadsheet stores as an exact number, in Google’s notation too', async () => {
  const numbers = [
    { v: '17.0' },
    'c',
    'WT_RUB_PHONE',
    { v: '1.5E7' },
    'RUB',
    { v: '7.9001234567E10' },
  ];
  const file = workbookFile([[...payoutFileColumns], [...numbers, undefined, 'sberbank']]);
  expect((await read(file)).bodies).toMatchObject([
    { merchant_operation_id: '17', amount: '15000000.00', number: '79001234567' },
  ]);
  expect(await errorsWith('merchant_operation_id', { v: '123456789012345' })).toEqual([]);
  expect(await errorsWith('client_id', { v: '17', s: styles.text })).toEqual([]);
});

it('names a cell by the column of this file, and an empty row between others (R24.17)', async () => {
  const columns = ['currency', 'amount', 'method', 'number', 'client_id', 'merchant_operation_id'];
  const row = (amount: string) => `RUB;${amount};WT_RUB_C2C;2200123456789010;c;${amount}`;
  const file = [columns.join(';'), row('1,00'), ';;;;;', row('2,0'), ';;;;;'].join('\r\n');
  expect(await read(file)).toMatchObject({
    count: 3,
    errors: [
      { row: 2, pointer: '', code: 'field_required' },
      { row: 3, pointer: '/amount', code: 'amount_invalid', cell: 'B4' },
    ],
  });
});

it('does not read UTF-8 with a broken byte as windows-1251', async () => {
  const file = Buffer.concat([Buffer.from(csv()), Buffer.from([0xd0]), Buffer.from(',')]);
  expect(await problem(file)).toMatchObject({ code: 'invalid_request' });
});

describe('an .xlsx file is refused that', () => {
  const sheet = 'xl/worksheets/sheet1.xml';
  const xml = (data: string) => `<worksheet><sheetData>${data}</sheetData></worksheet>`;
  it.each<[string, Uint8Array]>([
    ['has entities', workbookFile(rows, { [sheet]: `<!DOCTYPE x [<!ENTITY a "b">]>${xml('')}` })],
    ['is cut off', workbookFile(rows).subarray(0, -10)],
    ['is no workbook', zip([{ name: 'a.txt', content: 'a' }])],
    ['has broken XML', workbookFile(rows, { [sheet]: xml('<row><c>') })],
    ['has rows out of order', workbookFile(rows, { [sheet]: xml('<row r="2"/><row r="1"/>') })],
    ...['2.5', '1e1', '0x9', ' 9', '10000000'].map((r): [string, Uint8Array] => [
      `has a row numbered “${r}”`,
      workbookFile(rows, { [sheet]: (part) => part.replace('<row r="3"', `<row r="${r}"`) }),
    ]),
    [
      'has a cell in no row',
      workbookFile(rows, { [sheet]: (part) => part.replace('r="A2"', 'r="A0"') }),
    ],
    [
      'has cells out of order',
      workbookFile(rows, { [sheet]: xml('<row><c r="B1"/><c r="A1"/></row>') }),
    ],
    ['refers to texts that it lacks', workbookFile(rows, { 'xl/sharedStrings.xml': '<sst/>' })],
    [
      'unpacks to more than it states',
      zip([{ name: '_rels/.rels', content: 'x'.repeat(9_999), size: 9 }]),
    ],
    [
      'was saved by an older Excel, or with a password',
      Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1),
    ],
  ])('%s', async (_, file) => {
    expect(await problem(file)).toMatchObject({ code: 'invalid_request' });
  });

  it('is compressed in a way that is not supported, which the answer says', async () => {
    const file = zip([{ name: '_rels/.rels', content: 'a' }]);
    // Deflate64, in the directory's entry.
    file.writeUInt16LE(9, file.indexOf(Buffer.from('PK\u{1}\u{2}')) + 10);
    const said = { reasons: [expect.stringContaining('its compression is not supported')] };
    expect(await problem(file)).toMatchObject(said);
  });

  it('would unpack to too much, before it is unpacked', async () => {
    const bomb = zip([{ name: '_rels/.rels', content: '', size: 40 * 1024 * 1024 }]);
    expect(await problem(bomb)).toMatchObject({ code: 'body_too_large' });
  });

  it('has thousands of attributes in one element', async () => {
    const attributes = Array.from({ length: 5_000 }, (_, index) => `a${index}="1"`).join(' ');
    const file = workbookFile(rows, { [sheet]: xml(`<row ${attributes}/>`) });
    expect(await problem(file)).toMatchObject({ code: 'invalid_request' });
  });

  it('has one long text in many cells, or too many rows or columns', async () => {
    const text = { 'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(100_000)}</t></si></sst>` };
    const cells = '<row><c t="s"><v>0</v></c></row>'.repeat(100);
    const tooLarge = { code: 'body_too_large' };
    expect(await problem(workbookFile([], { ...text, [sheet]: xml(cells) }))).toMatchObject(
      tooLarge,
    );
    const names = payoutFileColumns.map((name) => `<c t="str"><v>${name}</v></c>`).join('');
    const far = `<row>${names}</row><row r="1048576"><c t="str"><v>a</v></c></row>`;
    expect(await problem(workbookFile([], { [sheet]: xml(far) }))).toMatchObject(tooLarge);
    const wide = xml('<row><c r="XFD1" t="str"><v>a</v></c></row>');
    expect(await problem(workbookFile([], { [sheet]: wide }))).toMatchObject(tooLarge);
  });
});
