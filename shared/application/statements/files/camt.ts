import { SaxesParser } from 'saxes';
import type { Item, Parser } from './item.ts';
import { createEntry, type CamtEntry } from './camt-entry.ts';
import { bankAmount, cut, signedBalance } from './values.ts';

const messages = {
  'camt.053': { message: 'BkToCstmrStmt', statement: 'Stmt' },
  'camt.054': { message: 'BkToCstmrDbtCdtNtfctn', statement: 'Ntfctn' },
} as const;

const mostDepth = 32;
/** The most attributes of one element. */
const mostAttributes = 32;
/** The most characters of one text, name, value or comment, which the parser has in memory. */
const mostTextLength = 128 * 1024;

/**
 * ISO 20022 CAMT.053 and .054 of any version. A document type is refused, so that no entity can be
 * declared.
 */
export function createCamtParser(format: keyof typeof messages): Parser {
  const xml = createXml();
  const read = createReader(messages[format]);
  const path: string[] = [];
  let text = '';
  let pending: Item[] = [];
  let isBroken = false;
  // Otherwise the parser would continue, and report an error for each character of the piece.
  const fail = (fault: XmlFault): never => {
    if (!isBroken) pending.push({ line: xml.line, fault, fatal: true });
    isBroken = true;
    throw new Error(fault);
  };
  const feed = (work: () => void) => {
    try {
      if (!isBroken) work();
    } catch (error) {
      if (!isBroken) throw error;
    }
  };
  const bounds = setBounds(xml, fail);
  const addText = (more: string) => {
    bounds.note();
    text += more;
    if (text.length > mostTextLength) fail('text_too_long');
  };
  xml.on('error', () => fail('xml'));
  xml.on('doctype', () => fail('xml_doctype'));
  xml.on('text', addText);
  xml.on('cdata', addText);
  xml.on('opentag', ({ name, attributes }: Tag) => {
    bounds.note();
    text = '';
    path.push(localName(name));
    if (path.length > mostDepth) fail('xml');
    read.open(path, xml.line, attributes);
  });
  xml.on('closetag', () => {
    bounds.note();
    for (const item of read.close(path, xml.line, text.trim())) pending.push(item);
    text = '';
    path.pop();
  });

  function* pendingItems(): Generator<Item> {
    const items = pending;
    pending = [];
    yield* items;
  }
  return {
    *take(piece) {
      feed(() => {
        xml.write(piece);
        bounds.check();
      });
      yield* pendingItems();
    },
    *end() {
      feed(() => void xml.close());
      if (!isBroken && !read.isRead())
        pending.push({ line: xml.line, fault: 'format', fatal: true });
      yield* pendingItems();
    },
  };
}

const createXml = () => new SaxesParser({ position: true });
type XmlFault = 'xml' | 'xml_doctype' | 'text_too_long';

/** Ends a file at an element with too many attributes, and at a text that is too long. */
function setBounds(xml: ReturnType<typeof createXml>, fail: (fault: XmlFault) => never) {
  let attributes = 0;
  /** Where the newest part of the file ended that the parser does not have in memory. */
  let parsedTo = 0;
  const note = () => void (parsedTo = xml.position);
  xml.on('comment', note);
  xml.on('processinginstruction', note);
  xml.on('opentagstart', () => {
    note();
    attributes = 0;
  });
  xml.on('attribute', () => {
    note();
    attributes += 1;
    if (attributes > mostAttributes) fail('xml');
  });
  return {
    note,
    check: () => {
      if (xml.position - parsedTo > mostTextLength) fail('text_too_long');
    },
  };
}

type Tag = { name: string; attributes: Readonly<Record<string, unknown>> };

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** Follows the elements of a message by their paths below the statement. */
function createReader({ message, statement }: (typeof messages)[keyof typeof messages]) {
  let isRead = false;
  let entry: CamtEntry | undefined;
  let entries = 0;
  let balance = new Map<string, string>();
  /** By their codes, the first one of each. */
  let balances = new Map<string, Balance>();
  let account = new Map<string, string>();
  const belowStatement = (path: readonly string[]): string | undefined => {
    const at = path.indexOf(message);
    return at >= 0 && path[at + 1] === statement ? path.slice(at + 2).join('/') : undefined;
  };

  return {
    isRead: () => isRead,
    open(path: readonly string[], line: number, { Ccy }: Tag['attributes']): void {
      const below = belowStatement(path);
      if (below === undefined) return;
      isRead = true;
      const currency = typeof Ccy === 'string' ? cut(Ccy) : '';
      if (below === '') [account, balances] = [new Map(), new Map()];
      if (below === 'Bal') balance = new Map();
      if (below === 'Bal/Amt') balance.set('Ccy', currency);
      if (below === 'Ntry') {
        entries += 1;
        entry = createEntry(line, entries);
      } else entry?.open(below.slice('Ntry/'.length), line, currency);
    },
    *close(path: readonly string[], line: number, text: string): Generator<Item> {
      const below = belowStatement(path);
      if (below === 'Ntry' && entry) {
        yield* entry.items();
        entry = undefined;
      } else if (below?.startsWith('Ntry/')) {
        entry?.close(below.slice('Ntry/'.length), text);
        if (entry?.isTooLong()) yield { line, fault: 'text_too_long', fatal: true };
      } else if (below?.startsWith('Acct/')) setField(account, below.slice('Acct/'.length), text);
      else if (below === 'Acct') yield* accountItem(line, account);
      else if (below?.startsWith('Bal/')) setField(balance, below.slice('Bal/'.length), text);
      else if (below === 'Bal') noteBalance(balances, { line, fields: balance });
      else if (below === '') yield* balanceItems(balances);
    },
  };
}

const usedFields = new Set(['Id/IBAN', 'Id/Othr/Id', 'Ccy', 'Tp/CdOrPrtry/Cd', 'Amt', 'CdtDbtInd']);

/** Sets a field of an account or a balance, if it is used. */
function setField(fields: Map<string, string>, name: string, text: string): void {
  if (usedFields.has(name)) fields.set(name, cut(text));
}

type Balance = { line: number; fields: ReadonlyMap<string, string> };

function* accountItem(line: number, fields: ReadonlyMap<string, string>): Generator<Item> {
  const account = fields.get('Id/IBAN') ?? fields.get('Id/Othr/Id') ?? '';
  yield { line, account, currency: fields.get('Ccy') };
}

function noteBalance(balances: Map<string, Balance>, balance: Balance): void {
  const code = balance.fields.get('Tp/CdOrPrtry/Cd') ?? '';
  if (/^(?:OPBD|PRCD|CLBD)$/.test(code) && !balances.has(code)) balances.set(code, balance);
}

/** The balances of a statement in any order; that of the day before opens it if none else does. */
function* balanceItems(balances: ReadonlyMap<string, Balance>): Generator<Item> {
  for (const [balance, found] of [
    ['opening', balances.get('OPBD') ?? balances.get('PRCD')],
    ['closing', balances.get('CLBD')],
  ] as const) {
    if (!found) continue;
    const { line, fields } = found;
    const amount = bankAmount(fields.get('Amt') ?? '');
    if (amount === undefined) yield { line, fault: 'amount' };
    else {
      const isDebit = fields.get('CdtDbtInd') === 'DBIT';
      yield { line, balance, amount: signedBalance(amount, isDebit), currency: fields.get('Ccy') };
    }
  }
}
