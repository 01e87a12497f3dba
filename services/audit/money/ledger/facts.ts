import type { Account } from '#shared/domain/ledger/events.ts';
import type { Minor } from '../../log/operation/exact-arithmetic.ts';

/** One ledger after its newest entry, summed by the auditor. */
export type LedgerFacts = {
  shopId: string;
  currency: string;
  revision: number;
  /** The balances that the newest entry states. */
  balance: Minor;
  reserved: Minor;
  totals: Record<Account, Minor>;
  /** What the provider received and paid out, by all entries. */
  received: Minor;
  paid: Minor;
  /** The sum of all accounts: zero in books that balance. */
  off: Minor;
  firstMs: number;
  newestMs: number;
  position: number;
};

export type Moves = ReadonlyMap<Account, Minor>;

export const noMoney: Readonly<Record<Account, Minor>> = {
  balance: 0n,
  reserved: 0n,
  commission: 0n,
  provider: 0n,
  suspense: 0n,
  external: 0n,
};
