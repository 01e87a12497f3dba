import { describe, expect, it } from 'vitest';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { readStatementFile } from '../read-file.ts';
import {
  camt053File,
  inWindows1251,
  mt940File,
  oneCFile,
  operationId,
} from '../testing/bank-files.ts';
import type { KnownOfFile } from './accounts.ts';
import { inOneChunk } from './source.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const inDollars = { ...of, currency: 'USD' };
const read = async (
  file: string | Uint8Array,
  { statement = of, ...known }: KnownOfFile & { statement?: StatementOf } = {},
) =>
  readStatementFile(
    inOneChunk(typeof file === 'string' ? Buffer.from(file) : file),
    statement,
    known,
  );
const lines = async (file: string | Uint8Array) => {
  const result = await read(file);
  return result.ok ? result.lines : result.errors;
};

const page = (account: string, currency: string, body = ':61:260131C1,NTRFA') =>
  `:20:1\n:25:${account}\n:28C:1/1\n:60F:C260130${currency}10,\n${body}\n:62F:C260131${currency}${body === '' ? 10 : 11},\n-\n`;

const statement = (account: string, currency: string, body: string) =>
  `<Stmt><Acct><Id><IBAN>${account}</IBAN></Id><Ccy>${currency}</Ccy></Acct>${body}</Stmt>`;
const balance = (code: string, currency: string, amount: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
const camt = (body: string, declaration = '') =>
  `${declaration}<Document><BkToCstmrStmt>${body}</BkToCstmrStmt></Document>`;
const entry = (amount: string, { mark = 'CRDT', more = '', reference = 'E-1' } = {}) =>
  `<Ntry><Amt Ccy="RUB">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-31</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls>${more}</NtryDtls></Ntry>`;
const part = (amount: string, { mark = 'CRDT', currency = 'RUB', refs = '' } = {}) =>
  `<TxDtls><Refs>${refs}</Refs><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd></TxDtls>`;

describe('the accounts of a file (R22.19)', () => {
  it.each([
    ['MT940', page('1', 'RUB') + page('2', 'USD')],
    [
      'MT940, with the bank’s code',
      page('1\nBANKRUMM', 'RUB').replace(':25:', ':25P:') + page('2', 'USD'),
    ],
    [
      'CAMT',
      camt(
        statement(
          '1',
          'RUB',
          balance('OPBD', 'RUB', '10') + entry('1.00') + balance('CLBD', 'RUB', '11'),
        ) + statement('2', 'USD', balance('CLBD', 'USD', '5')),
      ),
    ],
  ])('are distinguished by the statement’s currency: %s', async (_, file) => {
    expect(await read(file)).toMatchObject({
      ok: true,
      lines: [{ amount: '1.00' }],
      balances: { openingBalance: '10.00', closingBalance: '11.00' },
      others: [{ number: '2', currency: 'USD' }],
    });
  });

  it('are chosen by number where several have it', async () => {
    const file = page('1', 'RUB') + page('2', 'RUB', '');
    expect(await read(file)).toMatchObject({ errors: [{ line: 9, code: 'several_accounts' }] });
    expect(await read(file, { accountNumber: '2' })).toMatchObject({
      ok: true,
      lines: [],
      others: [{ number: '1', lines: 1 }],
    });
    expect(await read(file, { accountNumber: '3' })).toMatchObject({
      errors: [{ code: 'account' }],
    });
  });

  it('that are left out have any number of errors', async () => {
    const document = (account: string, date: string, number: number) =>
      `СекцияДокумент=Платежное поручение\nНомер=${number}\nДата=31.01.2026\nСумма=1.00\nПолучательСчет=${account}\nДатаПоступило=${date}\nКонецДокумента`;
    const [roubles, dollars] = ['40702810900000001234', '40702840900000001234'];
    const documents = (account: string, date: string, from: number, count: number) =>
      Array.from({ length: count }, (_, index) => document(account, date, from + index));
    const file = [
      '1CClientBankExchange',
      `РасчСчет=${dollars}`,
      `РасчСчет=${roubles}`,
      ...documents(roubles, '31.01.2026', 1, 2),
      ...documents(dollars, '', 3, 150),
      ...documents(roubles, '31.01.2026', 200, 2),
      'КонецФайла',
    ].join('\n');
    expect(await lines(file)).toMatchObject([{}, {}, {}, {}]);
    expect(await lines(file.replaceAll(dollars, roubles))).toHaveLength(100);
  });

  it('without a number are accounts of their own', async () => {
    const unnamed = statement('2', 'RUB', entry('1.00')).replace('<Id><IBAN>2</IBAN></Id>', '');
    const file = camt(statement('1', 'RUB', entry('1.00')) + unnamed);
    expect(await read(file)).toMatchObject({ errors: [{ code: 'several_accounts' }] });
  });

  it('may be in files of 1C that are joined, and nothing else may follow', async () => {
    const again = oneCFile.replace('КонечныйОстаток=1997.50', 'КонечныйОстаток=2995.00');
    const next = again.replace('НачальныйОстаток=1000.00', 'НачальныйОстаток=1997.50');
    expect(await lines(oneCFile + next)).toHaveLength(6);
    expect(await lines(`${oneCFile}Сумма=1`)).toMatchObject([{ code: 'syntax' }]);
  });

  it('that pay each other both have the document of 1C', async () => {
    const other = '40702810900000009999';
    const file = oneCFile
      .replace('СекцияРасчСчет', `РасчСчет=${other}\r\nСекцияРасчСчет`)
      .replace('ПлательщикСчет=40817810400000005678', `ПлательщикСчет=${other}`);
    const known = { accountNumber: other };
    expect(await read(file, known)).toMatchObject({
      lines: [{ direction: 'out', amount: '1100.50' }],
    });
    expect(await read(file, { accountNumber: '40702810900000001234' })).toMatchObject({
      lines: [{ direction: 'in', amount: '1100.50' }, {}, {}],
    });
  });

  it.each([
    ['CAMT', camt053File],
    ['CAMT without movements', camt(statement('1', 'RUB', balance('CLBD', 'RUB', '1000')))],
    ['MT940', mt940File],
    ['MT940 without movements', page('1', 'RUB', '')],
    ['1C', oneCFile],
    ['1C without movements', `${oneCFile.slice(0, oneCFile.indexOf('СекцияДокумент'))}КонецФайла`],
  ])('of another currency are no statement: %s', async (_, file) => {
    expect(await read(file, { statement: inDollars })).toMatchObject({
      errors: [{ code: 'currency' }],
    });
  });
});

describe('the balances of a file (R22.19)', () => {
  it.each([
    ['MT940', mt940File.replace('RUB2007,50', 'RUB2007,51'), '0.01'],
    ['CAMT', camt053File.replace('>2037.5<', '>2000<'), '-37.50'],
    ['1C', oneCFile.replace('КонечныйОстаток=1997.50', 'КонечныйОстаток=-1997.50'), '-3995.00'],
  ])('must follow from its movements: %s', async (_, file, difference) => {
    expect(await read(file)).toMatchObject({ errors: [{ code: 'balance', difference }] });
  });

  it('must continue from page to page, unless a person gives them', async () => {
    const file = page('1', 'RUB') + page('1', 'RUB').replace('NTRFA', 'NTRFB');
    expect(await read(file)).toMatchObject({
      errors: [{ line: 11, code: 'balance', difference: '-1.00' }],
    });
    const known = { openingBalance: '10.00', closingBalance: '12.00' };
    expect(await read(file, known)).toMatchObject({ ok: true, balances: known });
  });

  it.each([
    ['begins', page('1', 'RUB').replace(':62F:', ':64:') + page('1', 'RUB')],
    [
      'continues',
      page('1', 'RUB').replace(':62F:', ':64:') + page('1', 'RUB').replace('60F', '60M'),
    ],
  ])('of MT940 must be closed before another statement %s', async (_, file) => {
    expect(await read(file)).toMatchObject({ errors: [{ line: 11, code: 'not_closed' }] });
  });

  it('of CAMT are read in any order, and that of the day before only for want of another', async () => {
    const balances = balance('CLBD', 'RUB', '10') + balance('PRCD', 'RUB', '10');
    expect(await read(camt(statement('1', 'RUB', balances)))).toMatchObject({
      balances: { openingBalance: '10.00', closingBalance: '10.00' },
    });
    const opened = balance('PRCD', 'RUB', '9') + balances.replace('PRCD', 'OPBD');
    expect(await read(camt(statement('1', 'RUB', opened)))).toMatchObject({
      balances: { openingBalance: '10.00' },
    });
  });
});

describe('a batch of CAMT (R22.19)', () => {
  const batch = (amount: string, more: string) =>
    camt(statement('1', 'RUB', entry(amount, { more })));

  it('has parts in both directions', async () => {
    const parts = part('100.00') + part('10.00', { mark: 'DBIT' });
    expect(await lines(batch('90.00', parts))).toMatchObject([
      { direction: 'in', amount: '100.00' },
      { direction: 'out', amount: '10.00' },
    ]);
    expect(await lines(batch('110.00', parts))).toMatchObject([{ code: 'batch_total' }]);
  });

  it('has parts that are distinguished by what only they have', async () => {
    const refs = (id: string) =>
      `<AcctSvcrRef>E-1</AcctSvcrRef><EndToEndId>${id}</EndToEndId><InstrId>I</InstrId>`;
    const parts = part('1.00', { refs: refs('A') }) + part('2.00', { refs: refs('B') });
    expect(await lines(batch('3.00', parts))).toMatchObject([{ leg_id: 'A' }, { leg_id: 'B' }]);
    const same = part('1.00', { refs: refs('A') }) + part('2.00', { refs: refs('A') });
    expect(await lines(batch('3.00', same))).toMatchObject([
      { leg_id: '2026-01-31/1.1' },
      { leg_id: '2026-01-31/1.2' },
    ]);
  });

  const charge = (amount: string, { mark = 'DBIT', currency = 'RUB' } = {}) =>
    `<Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd>`;
  const charged = (amount: string, charges: string, more = part('100.00') + part('200.00')) =>
    batch(amount, more).replace('<NtryDtls>', `<Chrgs>${charges}</Chrgs><NtryDtls>`);

  it.each([
    ['itself, early version', charged('297.00', charge('3.00'))],
    [
      'itself, in records',
      charged(
        '297.00',
        `<TtlChrgsAndTaxAmt Ccy="RUB">4.00</TtlChrgsAndTaxAmt><Rcrd>${charge('4.00')}</Rcrd><Rcrd>${charge('1.00', { mark: 'CRDT' })}</Rcrd>`,
      ),
    ],
    [
      'itself, in total',
      charged('297.00', '<TtlChrgsAndTaxAmt Ccy="RUB">3.00</TtlChrgsAndTaxAmt>'),
    ],
    [
      'of its parts',
      batch(
        '297.00',
        (part('100.00') + part('200.00')).replaceAll(
          '</TxDtls>',
          `<Chrgs>${charge('1.50')}</Chrgs></TxDtls>`,
        ),
      ),
    ],
  ])('that is booked net has its charges as a fee: those %s', async (_, file) => {
    expect(await lines(file)).toMatchObject([
      { kind: 'transfer', direction: 'in', amount: '100.00' },
      { kind: 'transfer', direction: 'in', amount: '200.00' },
      { kind: 'fee', direction: 'out', amount: '3.00', leg_id: '2026-01-31/1.3' },
    ]);
  });

  it.each([
    ['of another sum', charged('296.00', charge('3.00'))],
    ['in another currency', charged('297.00', charge('3.00', { currency: 'USD' }))],
    ['for which it was booked higher', charged('303.00', charge('3.00'))],
  ])('is refused if it states charges %s', async (_, file) => {
    expect(await lines(file)).toMatchObject([{ code: 'batch_total' }]);
  });

  it('that is booked gross has no fee for the charges that it states', async () => {
    expect(await lines(charged('300.00', charge('3.00')))).toHaveLength(2);
  });

  it('of one part has the direction in which it was booked', async () => {
    const more = part('10.00');
    const file = camt(statement('1', 'RUB', entry('10.00', { mark: 'DBIT', more })));
    expect(await lines(file)).toMatchObject([{ direction: 'out', amount: '10.00' }]);
  });

  it('may have as many parts as a file has lines, and no more', async () => {
    const parts = (count: number) => part('0.01').repeat(count);
    expect(await lines(batch('0.02', parts(150_000)))).toMatchObject([{ code: 'too_many_lines' }]);
  });

  it('is one movement if its parts are in another currency', async () => {
    const parts = part('1.00', { currency: 'USD' }) + part('2.00', { currency: 'USD' });
    expect(await lines(batch('300.00', parts))).toMatchObject([
      { leg_id: 'E-1', amount: '300.00' },
    ]);
  });
});

describe('the encoding of a file (R22.19)', () => {
  it('is what XML declares', async () => {
    const file = camt(
      statement(
        '1',
        'RUB',
        entry('1.00', {
          more: part('1.00', { refs: '<EndToEndId>MÜLLER</EndToEndId>' }),
          reference: '',
        }),
      ),
      '<?xml version="1.0" encoding="ISO-8859-1"?>',
    );
    expect(await read(Buffer.from(file, 'latin1'))).toMatchObject({
      dialect: { encoding: 'windows-1252' },
      lines: [{ leg_id: 'MÜLLER' }],
    });
    const wrong = Buffer.from(file.replace('ISO-8859-1', 'UTF-8'), 'latin1');
    expect(await read(wrong)).toMatchObject({ errors: [{ code: 'encoding' }] });
  });

  it.each(['DOS', 'Windows', 'UTF-8'])(
    'is what 1C’s keywords are in, whatever it declares: %s',
    async (declared) => {
      const file = oneCFile.replace('Кодировка=Windows', `Кодировка=${declared}`);
      expect(await read(inWindows1251(file))).toMatchObject({
        dialect: { encoding: 'windows-1251' },
        lines: { length: 3 },
      });
    },
  );

  it('is UTF-16 also without a byte order mark', async () => {
    const csv =
      'kind,direction,leg_id,amount,currency,completed_at\ntransfer,in,Перевод,1.00,RUB,2026-01-31T00:00:00Z';
    expect(await lines(Buffer.from(csv, 'utf16le'))).toMatchObject([{ leg_id: 'Перевод' }]);
  });
});

describe('a purpose in MT940 (R22.19)', () => {
  const withPurpose = (purpose: string) =>
    page('1', 'RUB', `:61:260131D1,NTRFNONREF//B\n${purpose}`).replace('RUB11', 'RUB9');
  const head = operationId.slice(0, 20);
  const tail = operationId.slice(20);

  it.each([
    ['has lines that begin with a hyphen', `:86:Payout\n- for\n-\n${operationId}`],
    ['has empty lines', `:86:Payout\n\n${operationId}`],
    ['has the time in a line', `:86:Payout at 10\n:08:12 ${operationId}\n:20:15`],
    ['has a subfield that breaks in its mark', `:86:166?00PAYOUT?20${head}?2\n1${tail}`],
    ['has a question', `:86:Where is it?20 roubles ${operationId}`],
    [
      'is in several fields',
      `:86:Payout ${head}\n:86:${tail}`.replace(`\n:86:${tail}`, `${tail}\n:86:Fee`),
    ],
  ])('%s', async (_, purpose) => {
    expect(await read(withPurpose(purpose))).toMatchObject({
      ok: true,
      lines: [{ leg_id: 'B', operation_id: operationId }],
    });
  });

  it.each([
    ['ABN AMRO', 'ABNANL2A\n940\nABNANL2A\n'],
    ['ING', '0000 01INGBNL2AXXXX00001\n0000 01INGBNL2AXXXX00001\n940 00\n'],
    ['Rabobank', ':940:\n'],
    ['an empty line', '\n'],
    ['SWIFT, with its marks', '\u{1}{1:F01BANKRUMMAXXX0000000000}{2:I940CLNTRUMMXXXXN}{4:\r\n'],
  ])('comes after the header of %s', async (_, header) => {
    const file = header + page('1', 'RUB', '') + header + page('1', 'RUB').replace('NTRF', 'N102');
    expect(await read(file)).toMatchObject({
      dialect: { format: 'mt940' },
      lines: [{ leg_id: 'A' }],
    });
  });

  it('has marks of another kind', async () => {
    const purpose = `:86:000>100987654321\n>20PAYOUT>21${head}>2\n2${tail}>310390123456`;
    expect(await read(withPurpose(purpose))).toMatchObject({
      lines: [{ operation_id: operationId }],
    });
  });

  it.each([
    ['a blank before its type', ':61:260131C1, NTRFX'],
    ['no type', ':61:260131C1,//X'],
    ['a word that names no reference', ':61:260131C1,NTRFEREF//X'],
    ['no type and no reference', ':61:260131C1,NONREF//X'],
  ])('belongs to a line with %s', async (_, body) => {
    expect(await lines(page('1', 'RUB', body))).toMatchObject([{ leg_id: 'X', amount: '1.00' }]);
  });

  it.each(['NONREF', 'EREF', 'KREF+', 'MARF', 'NONREF          SHOP IN TOWN'])(
    'belongs to a line without a reference: %s',
    async (reference) => {
      const file = page('1', 'RUB', `:61:260131C1,NTRF${reference}`);
      expect(await lines(file)).toMatchObject([{ leg_id: '2026-01-31/1' }]);
    },
  );

  it.each([
    ['Rabobank', 'N0440000000011      E.X. Ample'],
    ['Rabobank, to a giro account', 'N084P000000000      Example Tax'],
    ['ASN', 'NOVBNL00TEST0000000030'],
  ])('of %s has the account of the counterparty, which is no reference', async (_, text) => {
    const body = [1, 2].map((each) => `:61:260131C1,${text}\n:86:Payment ${each}`).join('\n');
    const file = page('1', 'RUB', body).replace('RUB11', 'RUB12');
    expect(await lines(file)).toMatchObject([
      { leg_id: '2026-01-31/1' },
      { leg_id: '2026-01-31/2' },
    ]);
  });

  it.each([
    ['a blank before its hyphen', page('1', 'RUB').replace('\n-\n', '\n -\n')],
    ['SWIFT’s marks', page('1', 'RUB').replace('\n-\n', '\n-}\u{3}\u{1}{1:F01BANK}{4:\n')],
    ['DOS’s end of a file', `${page('1', 'RUB')}\u{1A}`],
  ])('comes in a message that ends with %s', async (_, file) => {
    expect(await lines(file + page('2', 'USD'))).toMatchObject([{ leg_id: 'A' }]);
  });

  it('belongs to a line with blanks instead of its date or type', async () => {
    const body = ':61:260131    CD1,00S   X\n:NS:01Payout\n02of January';
    expect(await lines(page('1', 'RUB', body))).toMatchObject([{ leg_id: 'X', amount: '1.00' }]);
  });
});

describe('a purpose in 1C (R22.19)', () => {
  it.each([
    [
      'in numbered fields',
      `НазначениеПлатежа1=Выплата ${operationId.slice(0, 9)}\r\nНазначениеПлатежа2=${operationId.slice(9)}`,
    ],
    ['over several lines', `НазначениеПлатежа=Выплата\r\nпо заказу = 7\r\n${operationId}`],
    ['in a repeated field', `НазначениеПлатежа=Выплата \r\nНазначениеПлатежа=${operationId}`],
  ])('may be %s', async (_, purpose) => {
    const file = oneCFile.replace(`НазначениеПлатежа=Выплата ${operationId}`, purpose);
    expect(await lines(file)).toMatchObject([{}, { operation_id: operationId }, {}]);
  });

  it('is the only field that may be repeated with another value', async () => {
    const file = oneCFile.replace('Сумма=100\r\n', 'Сумма=100\r\nСумма=900\r\n');
    expect(await lines(file)).toMatchObject([{ code: 'syntax' }]);
  });
});

describe('CSV as spreadsheets write it (R22.19)', () => {
  const header = 'kind;direction;leg_id;amount;currency;completed_at';
  const row = (id: string, amount: string) =>
    `transfer;in;${id};${amount};RUB;2026-01-31T00:00:00Z`;
  it.each([
    ['rows of separators and blanks', `${header}\n;;;;;\n${row('A', '1,50')}\n ; ;;;;\n\n`],
    ['columns without a name', `${header};;\n${row('A', '1,50')};;`],
    ['a first line that names the separator', `sep=;\r\n${header}\r\n${row('A', '1,50')}`],
    ['another case in the header', `${header.toUpperCase()}\n${row('A', '1,50')}`],
  ])('may have %s', async (_, file) => {
    expect(await lines(file)).toMatchObject([{ leg_id: 'A', amount: '1.50' }]);
  });

  it('has its decimal sign from the first amount with one', async () => {
    const file = [header, row('A', '100,00'), row('B', '1,50')].join('\n');
    expect(await lines(file)).toMatchObject([{ amount: '100.00' }, { amount: '1.50' }]);
  });
});
