import type { LedgerAccount } from '#shared/domain/ledger/events.ts';
import type { MoneyTotals } from '#shared/domain/audit/events.ts';
import { moneyAccounts } from '#shared/domain/audit/money-names.ts';
import { formatExactMinor, type ExactMinor } from '../../log/operation/exact-arithmetic.ts';
import { noMoney, type LedgerFacts } from './facts.ts';

type Sums = Record<LedgerAccount | 'in' | 'out', ExactMinor>;

/** What the ledgers hold together, by currency. */
export function sumMoneyTotals(ledgers: Iterable<LedgerFacts>): MoneyTotals[] {
  const byCurrency = new Map<string, Sums>();
  for (const { currency, totals, received, paid } of ledgers) {
    const sums = byCurrency.get(currency) ?? { in: 0n, out: 0n, ...noMoney };
    byCurrency.set(currency, sums);
    for (const account of moneyAccounts) sums[account] += totals[account];
    sums.in += received;
    sums.out += paid;
  }
  return [...byCurrency]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([currency, sums]) => {
      const amounts = Object.entries(sums).map(
        ([name, sum]) => [name, formatExactMinor(sum)] as const,
      );
      return { currency, ...(Object.fromEntries(amounts) as Record<keyof Sums, string>) };
    });
}
