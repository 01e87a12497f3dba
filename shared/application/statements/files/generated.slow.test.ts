import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { readStatementFile } from '../read-file.ts';
import { inUtf16, inWindows1251 } from '../testing/bank-files.ts';
import { inOneChunk } from './source.ts';

const bankDay = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const account = '40702810900000001234';
const payer = '40817810400000005678';
/** Of each format: 300 take a second, and 25,000 three minutes. */
const numRuns = Number(process.env['STATEMENT_FILES'] ?? 300);

type Transfer = {
  direction: 'in' | 'out';
  minor: number;
  date: '30' | '31';
  reference: string;
  operationId: string | undefined;
  /** The text around the operation's id. */
  words: [before: string, after: string];
};
type Statement = { opening: number; transfers: Transfer[] };

const word = fc.stringMatching(/^[-a-zA-Zа-яА-Я0-9 .,?:()/+='";]{0,30}$/);
const transfer: fc.Arbitrary<Transfer> = fc.record({
  direction: fc.constantFrom('in', 'out'),
  minor: fc.integer({ min: 1, max: 10 ** 9 }),
  date: fc.constantFrom('30', '31'),
  reference: fc.stringMatching(/^[A-Z0-9]{6,12}$/),
  operationId: fc.option(fc.uuid(), { nil: undefined }),
  words: fc.tuple(word, word),
});
const statement: fc.Arbitrary<Statement> = fc.record({
  opening: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
  transfers: fc.uniqueArray(transfer, { maxLength: 8, selector: ({ reference }) => reference }),
});

const closing = ({ opening, transfers }: Statement): number =>
  transfers.reduce(
    (sum, { direction, minor }) => sum + (direction === 'in' ? minor : -minor),
    opening,
  );
const amount = (minor: number, decimal = '.'): string =>
  fromMinor(BigInt(minor)).replace('.', decimal);
const purpose = ({ operationId, words: [before, after] }: Transfer): string =>
  `${before} ${operationId ?? ''} ${after}`;

/** What each format has of a transfer. */
const expected = ({ opening, ...rest }: Statement, { balances = true } = {}) => ({
  ok: true,
  lines: rest.transfers.map(({ direction, minor, date, operationId }) => ({
    direction,
    amount: amount(minor),
    completed_at: `2026-01-${date}T00:00:00Z`,
    ...(operationId !== undefined && { operation_id: operationId }),
  })),
  ...(balances && {
    balances: {
      openingBalance: amount(opening),
      closingBalance: amount(closing({ opening, ...rest })),
    },
  }),
});

/** Breaks a text into lines, none of which would be a field. */
function wrap(text: string, at: number): string {
  const lines: string[] = [];
  for (let from = 0; from < text.length; from += at) lines.push(text.slice(from, from + at));
  return lines
    .map((line) => (/^(?::(?:61|86|6[02][FM]|NS):|\s*$)/.test(line) ? `.${line}` : line))
    .join('\n');
}

const signedMark = (minor: number) => (minor < 0 ? 'D' : 'C');
const balanceField = (tag: string, minor: number, day: string) =>
  `:${tag}:${signedMark(minor)}2601${day}RUB${amount(Math.abs(minor), ',')}`;

type Mt940Dialect = {
  header: string;
  at: number;
  /** What divides the purpose, if it is divided. */
  mark: '' | '?' | '>';
  type: 'NTRFNONREF' | ' NTRFNONREF' | 'NONREF' | '';
  end: string;
  newline: string;
};

function toMt940({ opening, transfers }: Statement, dialect: Mt940Dialect): string {
  const { header, at, mark, type, end, newline } = dialect;
  const entries = transfers.flatMap((each) => {
    const direction = each.direction === 'in' ? 'C' : 'D';
    const text = purpose(each).replaceAll(mark === '' ? /^\?/g : '?', '');
    const divided = `166?00TRANSFER?20${text}?30BANK?32NAME`.replaceAll('?', mark);
    const field = mark === '' ? text : divided;
    return [
      `:61:2601${each.date}01${each.date}${direction}${amount(each.minor, ',')}${type}//${each.reference}`,
      `:86:${wrap(field, at)}`,
    ];
  });
  const fields = [
    ':20:STATEMENT',
    `:25:${account}`,
    ':28C:1/1',
    balanceField('60F', opening, '30'),
    ...entries,
    balanceField('62F', closing({ opening, transfers }), '31'),
    `:64:C260131RUB0,00`,
  ];
  return `${header}${fields.join('\n')}\n${end}`.replaceAll('\n', newline);
}

const mt940Dialect: fc.Arbitrary<Mt940Dialect> = fc.record({
  header: fc.constantFrom(
    '',
    '{1:F01BANK}{2:I940}{4:\n',
    '\u{1}{1:F01BANK}{2:I940}{4:\n',
    'ABNANL2A\n940\nABNANL2A\n',
    ':940:\n',
    '\n',
  ),
  at: fc.integer({ min: 20, max: 65 }),
  mark: fc.constantFrom('', '?', '>'),
  type: fc.constantFrom('NTRFNONREF', ' NTRFNONREF', 'NONREF', ''),
  end: fc.constantFrom('', '-', '-}', '-\n', '-}{5:{CHK:1}}\n', ' -\n', '-}\u{3}', '\u{1A}'),
  newline: fc.constantFrom('\n', '\r\n'),
});

const xmlText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const xmlBalance = (code: string, minor: number) =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="RUB">${amount(Math.abs(minor))}</Amt><CdtDbtInd>${minor < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd></Bal>`;

type CamtDialect = { version: string; prefix: string; order: 'first' | 'last'; isPretty: boolean };

function toCamt(of: Statement, { version, prefix, order, isPretty }: CamtDialect): string {
  const entries = of.transfers.map((each) => {
    const mark = each.direction === 'in' ? 'CRDT' : 'DBIT';
    const text = `<RmtInf><Ustrd>${xmlText(purpose(each))}</Ustrd></RmtInf>`;
    const status = version < '06' ? 'BOOK' : '<Cd>BOOK</Cd>';
    return `<Ntry><Amt Ccy="RUB">${amount(each.minor)}</Amt><CdtDbtInd>${mark}</CdtDbtInd><Sts>${status}</Sts><BookgDt><Dt>2026-01-${each.date}</Dt></BookgDt><AcctSvcrRef>${each.reference}</AcctSvcrRef><NtryDtls><TxDtls>${text}</TxDtls></NtryDtls></Ntry>`;
  });
  const balances = [xmlBalance('CLBD', closing(of)), xmlBalance('OPBD', of.opening)].join('');
  const identified = `<Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>`;
  const body =
    order === 'first'
      ? `${identified}${balances}${entries.join('')}`
      : `${identified}${entries.join('')}${balances}`;
  const bare = `<Document><BkToCstmrStmt><GrpHdr/><Stmt>${body}</Stmt></BkToCstmrStmt></Document>`
    .replaceAll(/<(\/?)(\w)/g, `<$1${prefix}$2`)
    .replace(
      `${prefix}Document`,
      `${prefix}Document xmlns${prefix && ':'}${prefix.slice(0, -1)}="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"`,
    );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${isPretty ? bare.replaceAll('><', '>\n<') : bare}`;
}

const camtDialect: fc.Arbitrary<CamtDialect> = fc.record({
  version: fc.constantFrom('02', '04', '06', '08', '12'),
  prefix: fc.constantFrom('', 'n:'),
  order: fc.constantFrom('first', 'last'),
  isPretty: fc.boolean(),
});

type OneCDialect = {
  parts: 'whole' | 'numbered' | 'lines';
  encoding: 'utf-8' | 'windows-1251' | 'utf-16';
};

function purposeFields(text: string, parts: OneCDialect['parts']): string {
  const half = Math.ceil(text.length / 2);
  // Values are trimmed, so no line ends or begins with a blank within the text.
  const [one, two] = [text.slice(0, half), text.slice(half)];
  if (parts === 'numbered') return `НазначениеПлатежа1=${one}\r\nНазначениеПлатежа2=${two}`;
  return `НазначениеПлатежа=${parts === 'whole' ? text : `${one}\r\n( ${two}`}`;
}

function toOneC(of: Statement, { parts, encoding }: OneCDialect): Uint8Array {
  const documents = of.transfers.flatMap((each) => {
    const isIn = each.direction === 'in';
    return [
      'СекцияДокумент=Платежное поручение',
      `Номер=${each.reference}`,
      'Дата=30.01.2026',
      `Сумма=${amount(each.minor)}`,
      `${isIn ? 'ДатаПоступило' : 'ДатаСписано'}=${each.date}.01.2026`,
      `ПлательщикСчет=${isIn ? payer : account}`,
      `ПолучательСчет=${isIn ? account : payer}`,
      purposeFields(
        purpose(each).replaceAll(' ', '_').replaceAll('=', ''),
        each.operationId ? 'whole' : parts,
      ),
      'КонецДокумента',
    ];
  });
  const text = [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    `РасчСчет=${account}`,
    'СекцияРасчСчет',
    `РасчСчет=${account}`,
    `НачальныйОстаток=${amount(of.opening)}`,
    `КонечныйОстаток=${amount(closing(of))}`,
    'КонецРасчСчет',
    ...documents,
    'КонецФайла',
    '',
  ].join('\r\n');
  if (encoding === 'utf-16') return inUtf16(text, 'le');
  return encoding === 'utf-8' ? Buffer.from(text) : inWindows1251(text);
}

const oneCDialect: fc.Arbitrary<OneCDialect> = fc.record({
  parts: fc.constantFrom('whole', 'numbered', 'lines'),
  encoding: fc.constantFrom('utf-8', 'windows-1251', 'utf-16'),
});

type CsvDialect = {
  delimiter: ',' | ';' | '\t';
  decimal: '.' | ',';
  trailing: boolean;
  newline: string;
};

function toCsv(
  { transfers }: Statement,
  { delimiter, decimal, trailing, newline }: CsvDialect,
): string {
  const cells = (values: string[]) =>
    [
      ...values.map((value) =>
        /[",;\t]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value,
      ),
      ...(trailing ? ['', ''] : []),
    ].join(delimiter);
  const header = [
    'kind',
    'direction',
    'leg_id',
    'amount',
    'currency',
    'completed_at',
    'operation_id',
  ];
  const rows = transfers.flatMap((each) => [
    cells([
      'transfer',
      each.direction,
      each.reference,
      amount(each.minor, decimal),
      'RUB',
      `2026-01-${each.date}T00:00:00Z`,
      each.operationId ?? '',
    ]),
    ...(trailing ? [delimiter.repeat(8), ''] : []),
  ]);
  return [cells(header), ...rows].join(newline);
}

const csvDialect: fc.Arbitrary<CsvDialect> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  decimal: fc.constantFrom('.', ','),
  trailing: fc.boolean(),
  newline: fc.constantFrom('\n', '\r\n'),
});

describe('a generated statement (R22.19)', () => {
  const holds = async (file: string | Uint8Array, wanted: object) => {
    const bytes = typeof file === 'string' ? Buffer.from(file) : file;
    expect(await readStatementFile(inOneChunk(bytes), bankDay)).toMatchObject(wanted);
  };

  it('is read completely from MT940', async () => {
    await fc.assert(
      fc.asyncProperty(statement, mt940Dialect, async (each, dialect) => {
        await holds(toMt940(each, dialect), expected(each));
      }),
      { numRuns },
    );
  });

  it('is read completely from CAMT.053', async () => {
    await fc.assert(
      fc.asyncProperty(statement, camtDialect, async (each, dialect) => {
        await holds(toCamt(each, dialect), expected(each));
      }),
      { numRuns },
    );
  });

  it('is read completely from 1C', async () => {
    await fc.assert(
      fc.asyncProperty(statement, oneCDialect, async (each, dialect) => {
        await holds(toOneC(each, dialect), expected(each));
      }),
      { numRuns },
    );
  });

  it('is read completely from CSV', async () => {
    await fc.assert(
      fc.asyncProperty(statement, csvDialect, async (each, dialect) => {
        await holds(toCsv(each, dialect), expected(each, { balances: false }));
      }),
      { numRuns },
    );
  });
});
