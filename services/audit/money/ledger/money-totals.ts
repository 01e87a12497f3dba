import type { Account } from '#shared/domain/ledger/events.ts';
import type { MoneyTotals } from '#shared/domain/audit/events.ts';
import { moneyAccounts } from '#shared/domain/audit/money-names.ts';
import { amountOf, type Minor } from '../../log/operation/exact-arithmetic.ts';
import type { LedgerFacts } from './facts.ts';

type Sums = Record<Account | 'in' | 'out', Minor>;

const nothing = (): Sums => ({
  in: 0n,
  out: 0n,
  balance: 0n,
  reserved: 0n,
  commission: 0n,
  provider: 0n,
  suspense: 0n,
  external: 0n,
});

/** What the ledgers hold together, by currency. */
export function moneyTotalsOf(ledgers: Iterable<LedgerFacts>): MoneyTotals[] {
  const byCurrency = new Map<string, Sums>();
  for (const { currency, totals, received, paid } of ledgers) {
    const sums = byCurrency.get(currency) ?? nothing();
    byCurrency.set(currency, sums);
    for (const account of moneyAccounts) sums[account] += totals[account];
    sums.in += received;
    sums.out += paid;
  }
  return [...byCurrency]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([currency, sums]) => ({
      currency,
      in: amountOf(sums.in),
      out: amountOf(sums.out),
      balance: amountOf(sums.balance),
      reserved: amountOf(sums.reserved),
      commission: amountOf(sums.commission),
      provider: amountOf(sums.provider),
      suspense: amountOf(sums.suspense),
      external: amountOf(sums.external),
    }));
}
