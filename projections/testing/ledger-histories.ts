import * as fc from 'fast-check';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { decideEntry, type KnownEntry } from '#shared/domain/ledger/decide.ts';
import type { Entry } from '#shared/domain/ledger/events.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { moved, noEntry, positionAfter } from '#shared/domain/ledger/position.ts';
import { keyOfEntry, reserveKey } from '#shared/domain/ledger/reference.ts';

/** The entries of one ledger, made by the real decisions, so that a real log may contain them. */
export type Books = { shopId: string; currency: string; entries: Entry[] };

type Posting =
  | { kind: 'reserve' | 'credit' | 'adjustment' | 'suspense'; operation: number; minor: number }
  | { kind: 'capture' | 'release'; operation: number; minor: number; noted: boolean };

type BooksOf = {
  shopId: string;
  currency: string;
  postings: readonly Posting[];
  operationId(n: number): string;
};

/** The entries of sequential commands; rejected and repeated ones have none. */
export function entriesOf(
  shopId: string,
  currency: string,
  commands: readonly LedgerCommand[],
): Entry[] {
  return post(shopId, currency, () => commands);
}

/** Posts sequentially, like `ledgerEntries`. */
function postAll({ shopId, currency, postings, operationId }: BooksOf): Books {
  const entries = post(shopId, currency, function* (known) {
    for (const posting of postings) {
      const command = commandOf(posting, { known, operationId });
      if (command) yield command;
    }
  });
  return { shopId, currency, entries };
}

type Commands = (known: ReadonlyMap<string, KnownEntry>) => Iterable<LedgerCommand>;

function post(shopId: string, currency: string, commands: Commands): Entry[] {
  const known = new Map<string, KnownEntry>();
  const entries: Entry[] = [];
  let position = noEntry;
  for (const command of commands(known)) {
    const view = { shopId, currency, position, find: (key: string) => known.get(key) };
    const decision = decideEntry(view, command);
    if (!('entry' in decision)) continue;
    const { entry } = decision;
    position = positionAfter(entry, entries.length);
    const { kind } = entry;
    known.set(keyOfEntry(entry), {
      kind,
      revision: entries.length,
      reserved: moved(entry, 'reserved'),
    });
    entries.push(entry);
  }
  return entries;
}

function commandOf(
  posting: Posting,
  {
    known,
    operationId,
  }: { known: ReadonlyMap<string, KnownEntry>; operationId(n: number): string },
): LedgerCommand | undefined {
  const { kind, operation, minor } = posting;
  const amount = fromMinor(BigInt(minor));
  const id = operationId(operation);
  const reservation = { operationId: id, reservation: 1 + (operation % 3) };
  const reserved = known.get(
    reserveKey(reservation.operationId, reservation.reservation),
  )?.reserved;
  switch (kind) {
    case 'reserve':
      return { kind, ...reservation, amount };
    case 'capture': {
      if (reserved === undefined) return undefined;
      const recorded = fromMinor((reserved * BigInt(minor % 100)) / 100n);
      return { kind, ...reservation, reserved: fromMinor(reserved), recorded, commission: '0.01' };
    }
    case 'release':
      return {
        kind,
        ...reservation,
        ...(posting.noted && reserved !== undefined && { reserved: fromMinor(reserved) }),
      };
    case 'credit':
      return {
        kind,
        operationId: id,
        recorded: amount,
        commission: fromMinor(BigInt(minor) / 40n),
      };
    case 'adjustment':
      return {
        kind,
        adjustmentId: `adjustment-${minor}`,
        amount: fromMinor(BigInt(operation % 2 === 0 ? minor : -minor)),
        reason: 'top-up "by hand", \\ {1}',
      };
    case 'suspense': {
      const operationType = operation % 2 === 0 ? ('payment' as const) : ('payout' as const);
      return { kind, operationId: id, legId: `leg ${minor}`, operationType, amount };
    }
  }
}

const hex = (n: number): string => n.toString(16).padStart(12, '0');

/** The id of an operation that is unique to this ledger. */
const operationIdIn = (ledger: number) => (n: number) =>
  `6f1d5b1e-0000-8000-${(0x8000 + ledger).toString(16)}-${hex(n)}`;

const anyPosting: fc.Arbitrary<Posting> = fc.record({
  kind: fc.constantFrom(
    ...(['reserve', 'reserve', 'capture', 'release', 'credit', 'adjustment', 'suspense'] as const),
  ),
  operation: fc.nat(7),
  minor: fc.integer({ min: 1, max: 1_000_000_000 }),
  noted: fc.boolean(),
});

/** Random legal ledgers of a few shops and currencies. */
export const anyLedgers: fc.Arbitrary<Books[]> = fc
  .array(fc.array(anyPosting, { maxLength: 40 }), { minLength: 1, maxLength: 4 })
  .map((ledgers) =>
    ledgers.map((postings, index) =>
      postAll({
        // A shop's id may contain the separator before the currency.
        shopId: `shop-${Math.floor(index / 2)}-x`,
        currency: index % 2 === 0 ? 'RUB' : 'USDT',
        postings,
        operationId: operationIdIn(index),
      }),
    ),
  );

/** The ledger of a busy shop: payments, and payouts that are reserved and later captured. */
export function busyLedger(shopId: string, entries: number): Books {
  const postings = Array.from({ length: entries }, (_, index): Posting => {
    const operation = Math.floor(index / 3) * 3;
    const minor = 1_000 + (index % 90_000);
    if (index % 3 === 0) return { kind: 'credit', operation: operation + 1, minor };
    if (index % 3 === 1) return { kind: 'reserve', operation, minor };
    const earlier = operation >= 300 ? operation - 300 : operation;
    return { kind: 'capture', operation: earlier, minor, noted: true };
  });
  return postAll({ shopId, currency: 'RUB', postings, operationId: operationIdIn(0) });
}
