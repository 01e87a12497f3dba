import { graceMs } from '../../authority/commands.ts';
import type { ExactMinor } from '../../log/operation/exact-arithmetic.ts';

type Balance = { balance: ExactMinor; atMs: number };
/** Oldest first; old ones are dropped once there are `most`. */
type Balances = { list: Balance[]; most: number };

export type RecentBalances = ReturnType<typeof createRecentBalances>;

/** There may be many ledgers, of which most have few entries a minute. */
const fewest = 16;

/** The balances that each ledger had within the last minute: a decision may be as old. */
export function createRecentBalances() {
  const ledgers = new Map<string, Balances>();
  return {
    /** The balance after an entry. */
    note: (stream: string, balance: ExactMinor, atMs: number): void => {
      let of = ledgers.get(stream);
      if (!of)
        ledgers.set(stream, (of = { list: [{ balance: 0n, atMs: -Infinity }], most: fewest }));
      of.list.push({ balance, atMs });
      if (of.list.length < of.most) return;
      of.list = since(of.list, atMs);
      // Twice as many as the last minute had, so that a busy ledger is not copied for each entry.
      of.most = fewest + 2 * of.list.length;
    },
    /** Whether the ledger had this balance at that time, or within the minute before. */
    had: (stream: string, balance: ExactMinor, atMs: number): boolean => {
      const of = ledgers.get(stream);
      return of ? since(of.list, atMs).some((each) => each.balance === balance) : balance === 0n;
    },
  };
}

/** The balances of the minute before a time, and the one in force when it began. */
const since = (list: Balance[], atMs: number): Balance[] =>
  list.slice(
    Math.max(
      0,
      list.findLastIndex((each) => each.atMs + graceMs < atMs),
    ),
  );
