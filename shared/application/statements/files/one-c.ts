import type { Item, Parser } from './item.ts';
import { createTextLines } from './text-lines.ts';
import { bankAmount, operationOf, signed, startOf } from './values.ts';

type Section = { line: number; name: string; fields: Map<string, string> };

const endOfSection: Readonly<Record<string, string>> = {
  СекцияРасчСчет: 'КонецРасчСчет',
  СекцияДокумент: 'КонецДокумента',
};
const mostFields = 200;

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
    if (!started) {
      started = key === '1CClientBankExchange';
      if (!started) yield { line, fault: 'format', fatal: true };
    } else if (key === '' || ended) return;
    else if (!section) {
      if (Object.hasOwn(endOfSection, key))
        section = { line, name: key, fields: new Map([[key, value]]) };
      else if (key === 'РасчСчет') yield* read.account(line, value);
      ended = key === 'КонецФайла';
    } else if (key === endOfSection[section.name]) {
      yield* section.name === 'СекцияДокумент' ? read.document(section) : read.balances(section);
      section = undefined;
    } else if (at < 0 || section.fields.size === mostFields) yield { line, fault: 'syntax' };
    else section.fields.set(key, value);
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

function createReader() {
  let account = '';

  function* accountOf(line: number, value: string): Generator<Item> {
    account = value;
    yield { line, account: value };
  }

  return {
    account: accountOf,
    *balances({ line, fields }: Section): Generator<Item> {
      yield* accountOf(line, fields.get('РасчСчет') ?? '');
      for (const [key, balance] of [
        ['НачальныйОстаток', 'opening'],
        ['КонечныйОстаток', 'closing'],
      ] as const) {
        const value = fields.get(key) ?? '';
        const amount = bankAmount(value.replace(/^-/, ''));
        if (amount !== undefined)
          yield { line, balance, amount: signed(amount, value.startsWith('-')) };
        else if (value !== '') yield { line, fault: 'syntax' };
      }
    },
    *document(section: Section): Generator<Item> {
      yield documentOf(section, account);
    },
  };
}

function documentOf({ line, fields }: Section, account: string): Item {
  const value = (key: string) => fields.get(key) ?? '';
  const direction = directionOf(value, account);
  if (direction === undefined) return { line, fault: 'direction' };
  const completed = dayOf(value(direction === 'out' ? 'ДатаСписано' : 'ДатаПоступило'));
  const dated = dayOf(value('Дата'));
  if (completed === undefined || dated === undefined) return { line, fault: 'completed_at' };
  const purpose = value('НазначениеПлатежа');
  const isFee = value('СекцияДокумент') === 'Банковский ордер' && /комисси/i.test(purpose);
  const kind = isFee ? 'fee' : 'transfer';
  const movement = {
    kind,
    direction,
    // Document numbers are unique only for each payer.
    leg_id: [dated, value('Номер'), value('ПлательщикСчет')].join('/'),
    operation_id: operationOf({ kind, direction }, purpose),
    amount: bankAmount(value('Сумма')) ?? '',
    currency: currencyOf(account),
    completed_at: startOf(completed),
  };
  return { line, movement };
}

/** The direction by the accounts; if neither is that of the statement, by which date is given. */
function directionOf(value: (key: string) => string, account: string): 'in' | 'out' | undefined {
  const [isPayer, isPayee] = ['ПлательщикСчет', 'ПолучательСчет'].map(
    (key) => account !== '' && value(key) === account,
  );
  if (isPayer !== isPayee) return isPayer ? 'out' : 'in';
  const [left, incoming] = [value('ДатаСписано') !== '', value('ДатаПоступило') !== ''];
  if (left === incoming) return undefined;
  return left ? 'out' : 'in';
}

function dayOf(text: string): string | undefined {
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
const currencyOf = (account: string): string | undefined =>
  /^\d{20}$/.test(account) ? currencyDigits[account.slice(5, 8)] : undefined;
