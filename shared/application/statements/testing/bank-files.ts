/** Statements in the formats of banks: all in RUB, of 2026-01-31, with the same money. */

export const operationId = '6f1d5b1e-0000-8000-8000-000000000001';
const account = '40702810900000001234';
const payer = '40817810400000005678';

export const csvFile = [
  'kind;direction;leg_id;amount;currency;completed_at',
  'transfer;in;Перевод-1;"1 100,50";RUB;2026-01-31T10:00:00Z',
  'fee;out;fee-1;3,00;RUB;2026-01-31T11:00:00Z',
].join('\r\n');

const entry = (
  indicator: 'CRDT' | 'DBIT',
  amount: string,
  reference: string,
  more: { code?: string; details?: string; status?: string; reversal?: true } = {},
) => `<Ntry>
        <Amt Ccy="RUB">${amount}</Amt>
        <CdtDbtInd>${indicator}</CdtDbtInd>${more.reversal ? '<RvslInd>true</RvslInd>' : ''}
        <Sts>${more.status ?? '<Cd>BOOK</Cd>'}</Sts>
        <BookgDt><DtTm>2026-01-31T12:00:00+03:00</DtTm></BookgDt>
        <ValDt><Dt>2026-01-31</Dt></ValDt>
        <AcctSvcrRef>${reference}</AcctSvcrRef>
        <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>${more.code ?? 'DMCT'}</SubFmlyCd></Fmly></Domn></BkTxCd>
        <NtryDtls>${more.details ?? ''}</NtryDtls>
      </Ntry>`;

const transaction = (amount: string, reference: string) => `<TxDtls>
          <Refs><AcctSvcrRef>${reference}</AcctSvcrRef><EndToEndId>NOTPROVIDED</EndToEndId></Refs>
          <Amt Ccy="RUB">${amount}</Amt>
          <CdtDbtInd>CRDT</CdtDbtInd>
        </TxDtls>`;

const balance = (code: string, amount: string, day: string) => `<Bal>
        <Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>
        <Amt Ccy="RUB">${amount}</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd>
        <Dt><Dt>${day}</Dt></Dt>
      </Bal>`;

export const camt053File = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
  <BkToCstmrStmt>
    <GrpHdr><MsgId>20260131-1</MsgId><CreDtTm>2026-02-01T03:00:00+03:00</CreDtTm></GrpHdr>
    <Stmt>
      <Id>31</Id>
      <Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>RUB</Ccy></Acct>
      ${balance('OPBD', '1000', '2026-01-31')}
      ${balance('CLBD', '2037.5', '2026-01-31')}
      ${entry('CRDT', '1100.50', 'BANK-1', { details: transaction('1100.50', 'BANK-1') })}
      ${entry('CRDT', '30.00', 'BATCH-1', {
        details: transaction('10.00', 'BATCH-1/1') + transaction('20', 'BATCH-1/2'),
      })}
      ${entry('DBIT', '100', 'BANK-2', {
        details: `<TxDtls><Refs><EndToEndId>${operationId}</EndToEndId></Refs></TxDtls>`,
      })}
      ${entry('CRDT', '10.00', 'BANK-3', { reversal: true })}
      ${entry('DBIT', '3', 'BANK-4', { code: 'CHRG' })}
      ${entry('CRDT', '999', 'BANK-5', { status: '<Cd>PDNG</Cd>' })}
    </Stmt>
  </BkToCstmrStmt>
</Document>
`;

export const camt054File = `<?xml version="1.0"?>
<n:Document xmlns:n="urn:iso:std:iso:20022:tech:xsd:camt.054.001.02">
  <n:BkToCstmrDbtCdtNtfctn>
    <n:Ntfctn>
      <n:Acct><n:Id><n:IBAN>DE02120300000000202051</n:IBAN></n:Id></n:Acct>
      <n:Ntry>
        <n:Amt Ccy="RUB">55.5</n:Amt><n:CdtDbtInd>CRDT</n:CdtDbtInd><n:Sts>BOOK</n:Sts>
        <n:BookgDt><n:Dt>2026-01-31</n:Dt></n:BookgDt>
        <n:NtryDtls><n:TxDtls>
          <n:Refs><n:EndToEndId>E2E-1</n:EndToEndId></n:Refs>
          <n:AmtDtls><n:TxAmt><n:Amt Ccy="RUB">55.50</n:Amt></n:TxAmt></n:AmtDtls>
        </n:TxDtls></n:NtryDtls>
      </n:Ntry>
    </n:Ntfctn>
  </n:BkToCstmrDbtCdtNtfctn>
</n:Document>
`;

export const mt940File = [
  '{1:F01BANKRUMMAXXX0000000000}{2:I940CLNTRUMMXXXXN}{4:',
  ':20:STMT-31',
  `:25:${account}`,
  ':28C:31/1',
  ':60F:C260130RUB1000,00',
  ':61:2601310131CR1100,50NTRFINV-1//BANK-1',
  ':86:Payment of invoice 1',
  ':61:260131D100,NTRFNONREF//BANK-2',
  '/PAYOUT/',
  `:86:?20payout ${operationId.slice(0, 20)}`,
  `?21${operationId.slice(20)}`,
  ':61:2601310131RD10,00NTRFNONREF//BANK-3',
  ':61:2601310131D3,00NCHGNONREF',
  ':62F:C260131RUB2007,50',
  '-}',
  '',
].join('\r\n');

const document = (kind: string, fields: Readonly<Record<string, string>>) =>
  [
    `СекцияДокумент=${kind}`,
    ...Object.entries(fields).map(([key, value]) => `${key}=${value}`),
    'КонецДокумента',
  ].join('\r\n');

export const oneCFile = [
  '1CClientBankExchange',
  'ВерсияФормата=1.03',
  'Кодировка=Windows',
  'Отправитель=Банк',
  'Получатель=',
  'ДатаСоздания=01.02.2026',
  'ВремяСоздания=03:00:00',
  'ДатаНачала=31.01.2026',
  'ДатаКонца=31.01.2026',
  `РасчСчет=${account}`,
  'СекцияРасчСчет',
  'ДатаНачала=31.01.2026',
  'ДатаКонца=31.01.2026',
  `РасчСчет=${account}`,
  'НачальныйОстаток=1000.00',
  'ВсегоПоступило=1100.50',
  'ВсегоСписано=103.00',
  'КонечныйОстаток=1997.50',
  'КонецРасчСчет',
  document('Платежное поручение', {
    Номер: '15',
    Дата: '30.01.2026',
    Сумма: '1100.50',
    ДатаПоступило: '31.01.2026',
    ПлательщикСчет: payer,
    Плательщик: 'ООО "Ромашка"',
    ПолучательСчет: account,
    НазначениеПлатежа: 'Оплата по счёту 1',
  }),
  document('Платежное поручение', {
    Номер: '16',
    Дата: '31.01.2026',
    Сумма: '100',
    ДатаСписано: '31.01.2026',
    ПлательщикСчет: account,
    ПолучательСчет: payer,
    НазначениеПлатежа: `Выплата ${operationId}`,
  }),
  document('Банковский ордер', {
    Номер: '7',
    Дата: '31.01.2026',
    Сумма: '3.00',
    ДатаСписано: '31.01.2026',
    ПлательщикСчет: account,
    ПолучательСчет: '70601810000000000001',
    НазначениеПлатежа: 'Комиссия банка за 31.01.2026',
  }),
  'КонецФайла',
  '',
].join('\r\n');

const cyrillic: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 128 }, (_, index) => {
    const byte = index + 128;
    return [new TextDecoder('windows-1251').decode(Uint8Array.of(byte)), byte];
  }),
);

export const inWindows1251 = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => cyrillic.get(character) ?? character.charCodeAt(0));

/** With a byte order mark. */
export function inUtf16(text: string, order: 'le' | 'be'): Uint8Array {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}
