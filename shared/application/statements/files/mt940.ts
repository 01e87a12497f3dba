import type { Item, Parser } from './item.ts';
import { createMt940Movement, type Mt940Entry } from './mt940-movement.ts';
import { createTextLines } from './text-lines.ts';
import { bankAmount, signedBalance } from './values.ts';

/** SWIFT's envelope around the fields. */
const envelope = /^\{1:.*\{4:\s*/;
/** The end of a message. */
const ends = /^\s*-(?:\}.*)?\s*$/;
const field = /^:(\d{2}[A-Z]?|NS):(.*)$/;
const balance = /^([CD])\d{6}([A-Z]{3})([\d.,]+)$/;
/** The fields between the balances: there another one, as `:20:15`, is a text. */
const insideOpen = new Set(['61', '86', 'NS', '60M', '62F', '62M']);
const isInsideField = (tag: string, text: string): boolean =>
  // Only a message that was not closed has the opening balance of the next one in it.
  insideOpen.has(tag) || (tag === '60F' && balance.test(text.trim()));
const mostFieldLength = 4_096;
/** Of one movement. */
const mostPurposes = 100;

type Field = { line: number; tag: string; text: string };

/** SWIFT MT940: field :61: is a movement, :86: its purpose. */
export function createMt940Parser(): Parser {
  const lines = createTextLines();
  const read = createReader();
  let open: Field | undefined;
  let hasBegun = false;
  let isInside = false;

  function* close(): Generator<Item> {
    if (open) yield* read.field(open);
    open = undefined;
  }
  function* next(line: number, text: string): Generator<Item> {
    const [, tag, first = ''] = field.exec(text) ?? [];
    if (tag !== undefined && (!open || !isInside || isInsideField(tag, first))) {
      yield* close();
      hasBegun = true;
      if (/^6[02]/.test(tag)) isInside = tag.startsWith('60');
      open = { line, tag, text: first };
    } else if (!isInside && (ends.test(text) || text.startsWith('{'))) {
      yield* close();
      hasBegun = false;
    } else if (open && open.text.length + text.length < mostFieldLength) open.text += `\n${text}`;
    // Before the first field some banks name themselves and the format.
    else if (hasBegun && text.trim() !== '') yield { line, fault: 'syntax' };
  }
  function* items(texts: ReturnType<typeof lines.take>): Generator<Item> {
    for (const each of texts) {
      if ('fault' in each) return yield each;
      yield* next(each.line, each.text.replace(envelope, ''));
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

function createReader() {
  let currency: string | undefined;
  let state: 'none' | 'open' | 'closed' = 'none';
  let entry: Mt940Entry | undefined;
  let entries = 0;

  function* flush(): Generator<Item> {
    if (!entry) return;
    entries += 1;
    yield createMt940Movement(entry, { currency, entryNumber: entries });
    entry = undefined;
  }
  function* balanceIn({ line, tag, text }: Field): Generator<Item> {
    const [, mark, named, amountText = ''] = balance.exec(text.trim()) ?? [];
    const amount = bankAmount(amountText);
    if (named === undefined || amount === undefined) return yield { line, fault: 'syntax' };
    const kind = tag.startsWith('60') ? 'opening' : 'closing';
    if (kind === 'opening' && state === 'open')
      return yield { line, fault: 'not_closed', fatal: true };
    if (kind === 'opening') currency = named;
    state = kind === 'opening' ? 'open' : 'closed';
    yield { line, balance: kind, amount: signedBalance(amount, mark === 'D'), currency: named };
  }

  return {
    *field(each: Field): Generator<Item> {
      if (each.tag === '86' || each.tag === 'NS') {
        if (entry?.purposes.length === mostPurposes) yield { line: each.line, fault: 'syntax' };
        else entry?.purposes.push(each.text);
        return;
      }
      yield* flush();
      // 25P has the bank's code in a line of its own.
      if (/^25P?$/.test(each.tag)) yield { line: each.line, account: accountIn(each.text) };
      else if (/^6[02][FM]$/.test(each.tag)) yield* balanceIn(each);
      else if (each.tag !== '61') return;
      else if (state === 'open') entry = { line: each.line, text: each.text, purposes: [] };
      else yield { line: each.line, fault: 'syntax' };
    },
    *end(line: number): Generator<Item> {
      yield* flush();
      if (state === 'none') yield { line: 1, fault: 'format', fatal: true };
      if (state === 'open') yield { line, fault: 'cut_off', fatal: true };
    },
  };
}

const accountIn = (text: string): string => (text.split('\n', 1)[0] ?? '').trim();
