import type { LedgerAccount } from '#shared/domain/ledger/events.ts';
import type { ExactMinor } from '../../log/operation/exact-arithmetic.ts';

/** One ledger after its newest entry, summed by the auditor. */
export type LedgerFacts = {
  shopId: string;
  currency: string;
  revision: number;
  /** The balances that the newest entry states. */
  balance: ExactMinor;
  reserved: ExactMinor;
  totals: Record<LedgerAccount, ExactMinor>;
  /** What the provider received and paid out, by all entries. */
  received: ExactMinor;
  paid: ExactMinor;
  /** The sum of all accounts: zero in books that balance. */
  off: ExactMinor;
  firstMs: number;
  newestMs: number;
  position: number;
};

export type EntryMoves = ReadonlyMap<LedgerAccount, ExactMinor>;

export const noMoney: Readonly<Record<LedgerAccount, ExactMinor>> = {
  balance: 0n,
  reserved: 0n,
  commission: 0n,
  provider: 0n,
  suspense: 0n,
  external: 0n,
};
