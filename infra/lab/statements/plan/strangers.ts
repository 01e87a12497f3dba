import { isAtBank, type Account } from '../accounts.ts';
import { dayMs } from '../log/lives.ts';
import type { Moved } from '../log/moved.ts';
import { say, type Planning } from './planning.ts';
import type { PlannedLine } from './planned.ts';
import { unknownFor } from './plants.ts';

/** So many of each kind for a hundred thousand movements of an account, and one at least. */
const ofEach = 60;

const kinds = [
  'transfer',
  'nameless',
  'return',
  'chargeback',
  'fee',
  'settlement',
  'other',
] as const;

/** Lines of money that no operation counts. */
export function plantStrangers(
  account: Account,
  moved: readonly Moved[],
  planning: Planning,
): void {
  const own = moved.filter((each) => each.account === account && each.kind === 'transfer');
  const count = 1 + Math.floor((own.length * ofEach) / 100_000);
  for (let number = 0; number < count; number += 1)
    for (const kind of kinds)
      tell(account, strangerOf(account, { kind, number, own, planning }), planning);
  if (isAtBank(account)) return;
  const line = strangerOf(account, { kind: 'settlement', number: count, own, planning });
  tell(account, { ...line, currency: 'USD' }, planning);
}

function tell(account: Account, line: PlannedLine, planning: Planning): void {
  say(planning, account, line);
  const { kind, legId, of, atMs, currency } = line;
  const isNone = kind === 'fee' || kind === 'settlement' || kind === 'other';
  const finding = isNone ? kind : unknownFor(line);
  planning.plant(account, {
    finding,
    how: 'of no operation’s money',
    legId,
    operationId: of?.operationId,
    atMs,
    currency,
  });
}

type Stranger = {
  kind: (typeof kinds)[number];
  number: number;
  own: readonly Moved[];
  planning: Planning;
};

function strangerOf(account: Account, { kind, number, own, planning }: Stranger): PlannedLine {
  const { random, startMs } = planning;
  const atBank = isAtBank(account);
  // The bank calls what is no transfer by its amount: each has one of its own.
  const minor = 1_000_000 + number * kinds.length + kinds.indexOf(kind);
  // Of money that an operation of the account may well have had.
  const like = own[random.below(own.length)];
  const of = like && { operationId: like.operationId, attempt: like.attempt };
  const stranger = {
    legId: `stranger-${kind}-${number}`,
    minor,
    atMs: startMs + random.below(dayMs),
  };
  const made = { ...stranger, currency: 'RUB' } as const;
  if (kind === 'fee' || kind === 'settlement' || kind === 'other') {
    const named = atBank && { legId: `X${minor}`, atMs: startMs };
    return { ...made, kind, direction: 'out', ...named };
  }
  const legId = atBank ? planning.nextTransfer() : made.legId;
  if (kind === 'nameless') return { ...made, legId, kind: 'transfer', direction: 'in' };
  const isBack = kind !== 'transfer';
  return {
    ...made,
    legId,
    kind,
    direction: kind === 'return' ? 'in' : 'out',
    ...(of && { of }),
    ...(isBack && like && { ofLegId: like.legId }),
  };
}
