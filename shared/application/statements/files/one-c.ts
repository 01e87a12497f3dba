import { mostFileAccounts, type Item, type Parser } from './item.ts';
import { createTextLines } from './text-lines.ts';
import { bankAmount, findNamedOperation, signedBalance, dayStartUtc } from './values.ts';

type Section = {
  line: number;
  name: string;
  fields: Map<string, string>;
  /** The field of the line before. */
  last: string;
};

const endOfSection: Readonly<Record<string, string>> = {
  СекцияРасчСчет: 'КонецРасчСчет',
  СекцияДокумент: 'КонецДокумента',
};
const mostFields = 200;
const mostFieldLength = 4_096;
/** A key is a word: any other text before an equals sign continues the field before. */
const keyText = /^[\p{L}\d_]+$/u;

/** 1C's exchange with clients' banks: sections of `key=value`, one a document. */
export function createOneCParser(): Parser {
  const lines = createTextLines();
  const read = createReader();
  let section: Section | undefined;
  let [started, ended] = [false, false];

  function* next(line: number, text: string): Generator<Item> {
    const at = text.indexOf('=');
    const [key, value] =
      at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    const isField = at >= 0 && keyText.test(key);
    if (!started) {
      started = key === '1CClientBankExchange';
      if (!started) yield { line, fault: 'format', fatal: true };
    } else if (key === '') return;
    else if (ended) {
      // Files may be joined.
      ended = key !== '1CClientBankExchange';
      if (ended) yield { line, fault: 'syntax' };
    } else if (!section) {
      if (Object.hasOwn(endOfSection, key))
        section = { line, name: key, fields: new Map([[key, value]]), last: key };
      else if (key === 'РасчСчет') yield* read.account(line, value);
      ended = key === 'КонецФайла';
    } else if (key === endOfSection[section.name]) {
      yield* section.name === 'СекцияДокумент' ? read.document(section) : read.balances(section);
      section = undefined;
    } else if (!(isField ? setField(section, key, value) : continueField(section, text)))
      yield { line, fault: 'syntax' };
  }
  function* items(texts: ReturnType<typeof lines.take>): Generator<Item> {
    for (const each of texts) {
      if ('fault' in each) return yield each;
      yield* next(each.line, each.text);
    }
  }

  return {
    take: (text) => items(lines.take(text)),
    *end() {
      yield* items(lines.end());
      if (!started) yield { line: 1, fault: 'format', fatal: true };
      else if (!ended) yield { line: lines.line(), fault: 'cut_off', fatal: true };
    },
  };
}

/** @returns whether the section may have the field */
function setField(section: Section, key: string, value: string): boolean {
  const { fields } = section;
  const before = fields.get(key);
  section.last = key;
  if (before === undefined) {
    if (fields.size === mostFields) return false;
    fields.set(key, value);
    return true;
  }
  return isPurpose(key) ? continueField(section, value) : before === value;
}

/** A purpose may have several lines. @returns whether the text continues one */
function continueField({ fields, last }: Section, text: string): boolean {
  const before = fields.get(last) ?? '';
  if (!isPurpose(last) || before.length + text.length > mostFieldLength) return text.trim() === '';
  fields.set(last, `${before}\n${text.trim()}`);
  return true;
}

const isPurpose = (key: string): boolean => /^НазначениеПлатежа\d?$/.test(key);

function createReader() {
  /** Those of the file: a document is of each of them that pays or is paid. */
  const accounts = new Set<string>();
  let current = '';

  function* enter(line: number, account: string): Generator<Item> {
    // A file with more accounts is refused.
    if (account !== '' && accounts.size < mostFileAccounts) accounts.add(account);
    current = account;
    yield { line, account, currency: accountCurrency(account) };
  }

  return {
    account: enter,
    *balances({ line, fields }: Section): Generator<Item> {
      yield* enter(line, fields.get('РасчСчет') ?? current);
      for (const [key, balance] of [
        ['НачальныйОстаток', 'opening'],
        ['КонечныйОстаток', 'closing'],
      ] as const) {
        const value = fields.get(key) ?? '';
        const amount = bankAmount(value.replace(/^-/, ''));
        if (amount !== undefined)
          yield { line, balance, amount: signedBalance(amount, value.startsWith('-')) };
        else if (value !== '') yield { line, fault: 'syntax' };
      }
    },
    *document(section: Section): Generator<Item> {
      const { line, fields } = section;
      const sides = ['ПлательщикСчет', 'ПолучательСчет'].map((key) => fields.get(key) ?? '');
      const own = [...new Set(sides)].filter((account) => accounts.has(account));
      for (const account of own.length > 0 ? own : [current]) {
        if (account !== current) yield* enter(line, account);
        yield toItem(section, account);
      }
    },
  };
}

function toItem({ line, fields }: Section, account: string): Item {
  const value = (key: string) => fields.get(key) ?? '';
  const direction = findDirection(value, account);
  if (direction === undefined) return { line, fault: 'direction' };
  const dates = [value('ДатаСписано'), value('ДатаПоступило')];
  // A transfer between own accounts may have one date only.
  const [own, other] = direction === 'out' ? dates : dates.toReversed();
  const completed = parseDay(own || other || '');
  const dated = parseDay(value('Дата'));
  if (completed === undefined || dated === undefined) return { line, fault: 'completed_at' };
  const purpose = purposeIn(fields);
  const isFee = value('СекцияДокумент') === 'Банковский ордер' && /комисси/i.test(purpose);
  const kind = isFee ? 'fee' : 'transfer';
  const movement = {
    kind,
    direction,
    // Document numbers are unique only for each payer.
    leg_id: [dated, value('Номер'), value('ПлательщикСчет')].join('/'),
    operation_id: findNamedOperation({ kind, direction }, { purpose }),
    amount: bankAmount(value('Сумма')) ?? '',
    currency: accountCurrency(account),
    completed_at: dayStartUtc(completed),
  };
  return { line, movement };
}

/** The purpose, or its numbered parts where the file has no whole one. Lines break anywhere. */
function purposeIn(fields: ReadonlyMap<string, string>): string {
  const whole = fields.get('НазначениеПлатежа') ?? '';
  const parts = [1, 2, 3, 4, 5, 6].map((part) => fields.get(`НазначениеПлатежа${part}`) ?? '');
  return (whole === '' ? parts.join('') : whole).replaceAll('\n', '');
}

/** The direction by the accounts; if neither is that of the statement, by which date is given. */
function findDirection(value: (key: string) => string, account: string): 'in' | 'out' | undefined {
  const [isPayer, isPayee] = ['ПлательщикСчет', 'ПолучательСчет'].map(
    (key) => account !== '' && value(key) === account,
  );
  if (isPayer !== isPayee) return isPayer ? 'out' : 'in';
  const [left, incoming] = [value('ДатаСписано') !== '', value('ДатаПоступило') !== ''];
  if (left === incoming) return undefined;
  return left ? 'out' : 'in';
}

function parseDay(text: string): string | undefined {
  const [, day, month, year] = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text) ?? [];
  return day === undefined ? undefined : `${year}-${month}-${day}`;
}

/** The digits of an account in Russia that name its currency. */
const currencyDigits: Readonly<Record<string, string>> = {
  810: 'RUB',
  643: 'RUB',
  840: 'USD',
  978: 'EUR',
  156: 'CNY',
};

/** Undefined if the account does not tell: then it is the statement's. */
const accountCurrency = (account: string): string | undefined =>
  /^\d{20}$/.test(account) ? currencyDigits[account.slice(5, 8)] : undefined;
