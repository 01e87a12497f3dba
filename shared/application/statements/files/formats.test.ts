import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatementFile } from '../read-file.ts';
import {
  camt053File,
  camt054File,
  csvFile,
  inUtf16,
  inWindows1251,
  mt940File,
  oneCFile,
  operationId,
} from '../testing/bank-files.ts';
import { formats, type DialectOverride } from './detect.ts';
import { encodings } from './encoding.ts';
import { inOneChunk } from './source.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const read = (file: string | Uint8Array, dialect?: DialectOverride) =>
  readStatementFile(inOneChunk(typeof file === 'string' ? Buffer.from(file) : file), of, dialect);

const day = '2026-01-31T00:00:00Z';
const noon = '2026-01-31T09:00:00.000Z';

describe('bank file formats (R22.19)', () => {
  it('include CAMT.053', async () => {
    expect(await read(camt053File)).toMatchObject({
      dialect: { format: 'camt.053', encoding: 'utf-8' },
      ok: true,
      balances: { openingBalance: '1000.00', closingBalance: '2037.50' },
      lines: [
        {
          kind: 'transfer',
          direction: 'in',
          leg_id: 'BANK-1',
          amount: '1100.50',
          completed_at: noon,
        },
        { kind: 'transfer', direction: 'in', leg_id: 'BATCH-1/1', amount: '10.00' },
        { kind: 'transfer', direction: 'in', leg_id: 'BATCH-1/2', amount: '20.00' },
        { direction: 'out', leg_id: 'BANK-2', amount: '100.00', operation_id: operationId },
        { kind: 'return', direction: 'in', leg_id: 'BANK-3', amount: '10.00' },
        { kind: 'fee', direction: 'out', leg_id: 'BANK-4', amount: '3.00' },
      ],
    });
  });

  it('include CAMT.054, with a namespace prefix and of an early version', async () => {
    expect(await read(camt054File)).toMatchObject({
      dialect: { format: 'camt.054' },
      ok: true,
      balances: {},
      lines: [{ line: 1, kind: 'transfer', leg_id: 'E2E-1', amount: '55.50', completed_at: day }],
    });
  });

  it('include MT940', async () => {
    expect(await read(mt940File)).toMatchObject({
      dialect: { format: 'mt940', encoding: 'utf-8' },
      ok: true,
      balances: { openingBalance: '1000.00', closingBalance: '2007.50' },
      lines: [
        {
          kind: 'transfer',
          direction: 'in',
          leg_id: 'BANK-1',
          amount: '1100.50',
          completed_at: day,
        },
        { direction: 'out', leg_id: 'BANK-2', amount: '100.00', operation_id: operationId },
        { kind: 'return', direction: 'in', leg_id: 'BANK-3', amount: '10.00' },
        { kind: 'fee', direction: 'out', leg_id: '2026-01-31/4', amount: '3.00' },
      ],
    });
  });

  it.each([
    [
      'CAMT.053',
      camt053File,
      '<RmtInf><Ustrd>$</Ustrd></RmtInf><Amt Ccy="RUB">1100.50',
      '<Amt Ccy="RUB">1100.50',
    ],
    ['MT940', mt940File, ':86:Order $', ':86:Payment of invoice 1'],
    ['1C', oneCFile, 'Заказ $', 'Оплата по счёту 1'],
  ])(
    'name the operation of an incoming line by its purpose: %s',
    async (_, file, purpose, place) => {
      const other = operationId.replace(/1$/, '2');
      const nameIn = async (text: string) => {
        const at = file.lastIndexOf(place);
        const changed =
          file.slice(0, at) + purpose.replace('$', text) + file.slice(at + place.length);
        const lines = (await read(changed)) as { lines?: { operation_id?: string }[] };
        return lines.lines?.[0]?.operation_id;
      };
      expect(await nameIn(operationId.toUpperCase())).toBe(operationId);
      expect(await nameIn(`${operationId}, again ${operationId}`)).toBe(operationId);
      expect(await nameIn(`${operationId} ${other}`)).toBeUndefined();
    },
  );

  it('ignore ids in references of incoming money, which the payer’s bank writes', async () => {
    const file = await read(camt054File.replace('E2E-1', operationId));
    expect(file).toMatchObject({ lines: [{ leg_id: operationId }] });
    expect(file).not.toHaveProperty('lines.0.operation_id');
  });

  it('include MT940 on several pages, and a value date in the previous year', async () => {
    const pages = [
      ':20:1\n:25:1\n:28C:1/1\n:60F:C260130RUB10,\n:61:2512310102C1,NTRFA\n:62M:C260131RUB11,',
      ':20:1\n:25:1\n:28C:1/2\n:60M:C260131RUB11,\n:61:260131D24,NTRFB\n:62F:D260131RUB13,\n-',
    ].join('\n-\n');
    const two = await readStatementFile(inOneChunk(Buffer.from(pages)), {
      ...of,
      day: '2026-01-02',
    });
    expect(two).toMatchObject({ errors: [{ line: 12, code: 'completed_at' }] });
    expect(await read(pages.replace('2512310102', '260131'))).toMatchObject({
      lines: [{ leg_id: 'A' }, { leg_id: 'B' }],
      balances: { openingBalance: '10.00', closingBalance: '-13.00' },
    });
  });

  it.each([
    ['windows-1251', inWindows1251(oneCFile)],
    ['utf-8', Buffer.from(oneCFile)],
    ['utf-8', Buffer.from(`\uFEFF${oneCFile}`)],
    ['utf-16le', inUtf16(oneCFile, 'le')],
  ])('include the 1C exchange format in %s', async (encoding, bytes) => {
    const payment = '2026-01-30/15/40817810400000005678';
    expect(await read(bytes)).toMatchObject({
      dialect: { format: '1c', encoding },
      ok: true,
      balances: { openingBalance: '1000.00', closingBalance: '1997.50' },
      lines: [
        {
          kind: 'transfer',
          direction: 'in',
          leg_id: payment,
          amount: '1100.50',
          completed_at: day,
        },
        { kind: 'transfer', direction: 'out', amount: '100.00', operation_id: operationId },
        { kind: 'fee', direction: 'out', amount: '3.00' },
      ],
    });
  });

  it('include the 1C exchange format in DOS encoding', async () => {
    const from = oneCFile.replace('=Windows', '=DOS');
    const letters = new Map(
      Array.from({ length: 128 }, (_, index) => [
        new TextDecoder('ibm866').decode(Uint8Array.of(index + 128)),
        index + 128,
      ]),
    );
    const bytes = Uint8Array.from(from, (each) => letters.get(each) ?? each.charCodeAt(0));
    expect(await read(bytes)).toMatchObject({
      dialect: { format: '1c', encoding: 'ibm866' },
      lines: { length: 3 },
    });
  });

  it.each([
    ['windows-1251', 'semicolon', 'comma', inWindows1251(csvFile)],
    ['utf-16le', 'semicolon', 'comma', inUtf16(csvFile, 'le')],
    ['utf-16be', 'semicolon', 'comma', inUtf16(csvFile, 'be')],
    ['utf-8', 'tab', 'comma', Buffer.from(csvFile.replaceAll(';', '\t'))],
    ['utf-8', 'semicolon', 'dot', Buffer.from(csvFile.replaceAll(',', '.').replace('1 ', '1'))],
  ])('include CSV in %s, with %s and %s', async (encoding, delimiter, decimal, bytes) => {
    expect(await read(bytes)).toMatchObject({
      dialect: { format: 'csv', encoding, delimiter, decimal },
      ok: true,
      lines: [{ leg_id: 'Перевод-1', amount: '1100.50' }, { amount: '3.00' }],
    });
  });
});

describe('an explicit dialect (R22.19)', () => {
  it.each<[DialectOverride, string | Uint8Array, object]>([
    [{ format: 'mt940' }, csvFile, { line: 1, code: 'format' }],
    [{ format: '1c' }, csvFile, { line: 1, code: 'format' }],
    [{ format: 'camt.054' }, camt053File, { code: 'format' }],
    [{ format: 'csv' }, mt940File, { line: 1, code: 'header' }],
    [{ encoding: 'utf-8' }, inWindows1251(csvFile), { line: 1, code: 'encoding' }],
    [{ delimiter: 'comma' }, csvFile, { line: 1, code: 'header' }],
    [{ decimal: 'dot' }, csvFile, { line: 2, code: 'amount' }],
  ])('is enforced: %j', async (dialect, file, error) => {
    const { errors } = (await read(file, dialect)) as { errors: object[] };
    expect(errors[0]).toMatchObject(error);
  });
});

describe('an invalid file (R22.9)', () => {
  const laughs = `<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]>
<Document><BkToCstmrStmt>&lol2;</BkToCstmrStmt></Document>`;
  const deep = `<Document><BkToCstmrStmt>${'<a>'.repeat(10_000)}`;
  const lineOf = (file: string, text: string) =>
    file.slice(0, file.indexOf(text)).split('\n').length;

  it.each([
    ['xml_doctype', 2, laughs],
    ['xml', 1, deep],
    ['xml', 1, `<Document ${Array.from({ length: 40 }, (_, at) => `a${at}=""`).join(' ')}/>`],
    ['xml', 1, '<Document><BkToCstmrStmt>&lol;</BkToCstmrStmt></Document>'],
    ['xml', 1, '<Document><BkToCstmrStmt></Document>'],
    ['xml', 50, camt053File.split('\n').slice(0, 50).join('\n')],
    ['format', 1, '<Document><Other/></Document>'],
    [
      'currency',
      lineOf(camt053File, '<TxDtls>'),
      camt053File
        .replace('Amt Ccy="RUB">1100.50', 'Amt Ccy="USD">1100.50')
        .replace('<Amt Ccy="RUB">1100.50', '<Amt Ccy="USD">1100.50'),
    ],
    ['batch_total', lineOf(camt053File, 'BATCH-1</') - 6, camt053File.replace('>20<', '>21<')],
    ['amount', lineOf(camt053File, 'BANK-4') - 6, camt053File.replace('>3<', '>3.001<')],
    ['syntax', 6, mt940File.replace('CR1100,50', 'X1100,50')],
    ['cut_off', 13, mt940File.replace(/:62F:[^]*/, '')],
    ['line_too_long', 2, mt940File.replace('STMT-31', 'x'.repeat(9_000))],
    ['cut_off', 47, oneCFile.replace('КонецФайла\r\n', '')],
    [
      'direction',
      20,
      oneCFile.replaceAll('ДатаПоступило', 'Прочее').replaceAll('ПолучательСчет', 'Прочее2'),
    ],
    ['completed_at', 20, oneCFile.replace('ДатаПоступило=31.01.2026', 'ДатаПоступило=31/01')],
    ['currency', 10, oneCFile.replaceAll('40702810', '40702840')],
  ])('is rejected with %s at line %i', async (code, line, file) => {
    const { errors } = (await read(file)) as { errors: object[] };
    expect(errors[0]).toEqual({ line, code });
  });
});

const examples = [camt053File, camt054File, mt940File, oneCFile, csvFile];

// fast-check's own unit `binary` makes a map of all characters first.
const anyCharacters = fc
  .array(fc.nat({ max: 0x10_ff_ff }), { maxLength: 10 })
  .map((points) => String.fromCodePoint(...points));

it('returns lines or errors for a damaged file, and never throws', async () => {
  const damaged = fc.record({
    file: fc.constantFrom(...examples),
    at: fc.nat({ max: 4_000 }),
    without: fc.nat({ max: 40 }),
    put: fc.oneof(
      fc.string(),
      anyCharacters,
      fc.constantFrom('<', '&#0;', ']]>', '<![CDATA[', '\n:61:', '=', '-}', 'КонецДокумента', '"'),
    ),
    dialect: fc.record(
      { format: fc.constantFrom(...formats), encoding: fc.constantFrom(...encodings) },
      { requiredKeys: [] },
    ),
  });
  await fc.assert(
    fc.asyncProperty(damaged, async ({ file, at, without, put, dialect }) => {
      const bytes = Buffer.from(file.slice(0, at) + put + file.slice(at + without));
      const result = await read(bytes, dialect);
      const errors = result.ok ? [{ line: 1 }] : result.errors;
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.every(({ line }) => line > 0)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it('returns lines or errors for arbitrary bytes, and never throws', async () => {
  const dialects = fc.record(
    { format: fc.constantFrom(...formats), encoding: fc.constantFrom(...encodings) },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), dialects, async (bytes, dialect) => {
      const result = await read(bytes, dialect);
      expect(result.ok ? result.lines : result.errors).toBeInstanceOf(Array);
    }),
    { numRuns: 300 },
  );
});
