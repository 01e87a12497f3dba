import type { Item, Parser } from './item.ts';
import { createTextLines } from './text-lines.ts';
import { bankAmount, operationOf, placeIn, reversalOf, signed, startOf } from './values.ts';

/** SWIFT's envelope around the fields, and the end of a message. */
const envelope = /^\{1:.*\{4:\s*/;
const ends = /^-\}?/;
const field = /^:(\d{2}[A-Z]?):(.*)$/;
const balance = /^([CD])\d{6}([A-Z]{3})([\d.,]+)$/;
const movement =
  /^(\d{6})(\d{4})?(R?[CD]|E[CD])[A-Z]?([\d.,]+)([NSF][A-Z\d]{3})(.*?)(?:\/\/(.*))?$/;

type Field = { line: number; tag: string; text: string };

/** SWIFT MT940: field :61: is a movement, :86: its purpose. */
export function createMt940Parser(): Parser {
  const lines = createTextLines();
  const read = createReader();
  let open: Field | undefined;

  function* close(): Generator<Item> {
    if (open) yield* read.field(open);
    open = undefined;
  }
  function* items(texts: ReturnType<typeof lines.take>): Generator<Item> {
    for (const each of texts) {
      if ('fault' in each) return yield each;
      const text = each.text.replace(envelope, '');
      const [, tag, first = ''] = field.exec(text) ?? [];
      if (tag !== undefined) {
        yield* close();
        open = { line: each.line, tag, text: first };
      } else if (ends.test(text) || text.trim() === '' || text.startsWith('{')) yield* close();
      else if (open && open.text.length + text.length < 4_096) open.text += `\n${text}`;
      else yield { line: each.line, fault: 'syntax' };
    }
  }

  return {
    take: (text) => items(lines.take(text)),
    *end() {
      yield* items(lines.end());
      yield* close();
      yield* read.end(lines.line());
    },
  };
}

type Entry = { line: number; text: string; purpose: string };

function createReader() {
  let currency: string | undefined;
  let state: 'none' | 'open' | 'closed' = 'none';
  let entry: Entry | undefined;
  let entries = 0;

  function* flush(): Generator<Item> {
    if (!entry) return;
    entries += 1;
    yield itemOf(entry, currency, entries);
    entry = undefined;
  }
  function* balanceOf({ line, tag, text }: Field): Generator<Item> {
    const [, mark, of, amountText = ''] = balance.exec(text.trim()) ?? [];
    const amount = bankAmount(amountText);
    if (of === undefined || amount === undefined) return yield { line, fault: 'syntax' };
    const isOpening = tag.startsWith('60');
    if (isOpening) currency = of;
    state = isOpening ? 'open' : 'closed';
    const kind = isOpening ? 'opening' : 'closing';
    yield { line, balance: kind, amount: signed(amount, mark === 'D') };
  }

  return {
    *field(each: Field): Generator<Item> {
      if (each.tag === '86') {
        if (entry) entry.purpose += each.text;
        return;
      }
      yield* flush();
      if (each.tag === '25') yield { line: each.line, account: each.text.trim() };
      else if (/^6[02][FM]$/.test(each.tag)) yield* balanceOf(each);
      else if (each.tag !== '61') return;
      else if (state === 'open') entry = { line: each.line, text: each.text, purpose: '' };
      else yield { line: each.line, fault: 'syntax' };
    },
    *end(line: number): Generator<Item> {
      yield* flush();
      if (state === 'none') yield { line: 1, fault: 'format', fatal: true };
      if (state === 'open') yield { line, fault: 'cut_off', fatal: true };
    },
  };
}

function itemOf(
  { line, text, purpose }: Entry,
  currency: string | undefined,
  entryNumber: number,
): Item {
  const [first = '', ...details] = text.split('\n');
  const [, value = '', booked, mark = '', amountText = '', type = '', reference = '', ofBank = ''] =
    movement.exec(first.trim()) ?? [];
  const day = value && dayOf(value, booked);
  if (!day) return { line, fault: 'syntax' };
  const direction = mark === 'C' || mark === 'EC' || mark === 'RD' ? 'in' : 'out';
  const kind = kindOf(mark, type, direction);
  const named = [ofBank, reference].map((each) => each.trim());
  const remittance = `${reference}\n${details.join('')}\n${purpose.replaceAll(/\n|\?\d\d/g, '')}`;
  const legId = named.find((each) => each !== '' && each !== 'NONREF' && each !== 'NOTPROVIDED');
  const statementLine = {
    kind,
    direction,
    leg_id: legId ?? placeIn(day, entryNumber),
    operation_id: operationOf({ kind, direction }, remittance),
    amount: bankAmount(amountText) ?? '',
    currency,
    completed_at: startOf(day),
  };
  return { line, movement: statementLine };
}

function kindOf(mark: string, type: string, direction: string): string {
  if (mark.startsWith('R') || type.endsWith('RTI')) return reversalOf(direction);
  return /(?:CHG|COM)$/.test(type) ? 'fee' : 'transfer';
}

/** The booking date, which may be in the year after the value date; by default the value date. */
function dayOf(value: string, booked: string | undefined): string {
  const year = 2000 + Number(value.slice(0, 2));
  const month = value.slice(2, 4);
  if (booked === undefined) return `${year}-${month}-${value.slice(4)}`;
  const [bookedMonth, day] = [booked.slice(0, 2), booked.slice(2)];
  const turn = Number(bookedMonth) - Number(month);
  return `${year + (turn < -6 ? 1 : turn > 6 ? -1 : 0)}-${bookedMonth}-${day}`;
}
