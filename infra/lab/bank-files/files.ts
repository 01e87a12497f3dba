import type { Format } from '#shared/application/statements/files/detect.ts';

export const day = '2026-01-31';
const account = '40702810000000000001';

/** A file's beginning and end, and what is between: a movement of 1.00 each. */
type Shape = {
  head: string;
  movement: (number: number) => string;
  foot: (movements: number) => string;
};

const csv: Shape = {
  head: 'kind,direction,leg_id,amount,currency,completed_at\n',
  movement: (number) => `transfer,in,leg-${number},1.00,RUB,${day}T10:00:00Z\n`,
  foot: () => '',
};

const mt940: Shape = {
  head: `:20:STATEMENT\n:25:${account}\n:28C:31/1\n:60F:C260130RUB0,00\n`,
  movement: (number) =>
    `:61:2601310131C1,00NTRFNONREF//LEG${number}\n:86:166?00TRANSFER?20Payment of an order ${number}?30TESTRUMM?32E. Xample\n`,
  foot: (movements) => `:62F:C260131RUB${movements},00\n-\n`,
};

const camt = (message: string, statement: string): Shape => ({
  head: `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022"><${message}><${statement}><Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>RUB</Ccy></Acct>\n`,
  movement: (number) => `<Ntry>
  <Amt Ccy="RUB">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
  <BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt><AcctSvcrRef>LEG${number}</AcctSvcrRef>
  <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>DMCT</SubFmlyCd></Fmly></Domn></BkTxCd>
  <NtryDtls><TxDtls><Refs><EndToEndId>E2E${number}</EndToEndId></Refs><RmtInf><Ustrd>Payment of an order ${number}</Ustrd></RmtInf></TxDtls></NtryDtls>
</Ntry>
`,
  foot: () => `</${statement}></${message}></Document>\n`,
});

const oneC: Shape = {
  head: `1CClientBankExchange\nВерсияФормата=1.03\nКодировка=Windows\nРасчСчет=${account}\n`,
  movement: (number) => `СекцияДокумент=Платежное поручение
Номер=${number}
Дата=31.01.2026
Сумма=1.00
ДатаПоступило=31.01.2026
ПлательщикСчет=40817810000000000003
ПолучательСчет=${account}
НазначениеПлатежа=Оплата заказа ${number}
КонецДокумента
`,
  foot: () => 'КонецФайла\n',
};

const shapes: Readonly<Record<Format, Shape>> = {
  csv,
  'camt.053': camt('BkToCstmrStmt', 'Stmt'),
  'camt.054': camt('BkToCstmrDbtCdtNtfctn', 'Ntfctn'),
  mt940,
  '1c': oneC,
};

/** The texts of a file of as many movements as fit into the size: each movement is one of them. */
export function* bankFileTexts(format: Format, size: number): Generator<string> {
  const { head, movement, foot } = shapes[format];
  const room = size - Buffer.byteLength(head) - Buffer.byteLength(foot(size));
  let [length, movements] = [0, 0];
  yield head;
  for (;;) {
    const text = movement(movements + 1);
    length += Buffer.byteLength(text);
    if (length > room) break;
    movements += 1;
    yield text;
  }
  yield foot(movements);
}
