import { figuresFor } from '../commission.ts';
import { fromMinor, toMinor } from '../ledger/minor.ts';
import { eligibleRoutes, type Route } from '../routing.ts';
import type { StoredRow } from './events.ts';

type Order = Pick<StoredRow, 'method' | 'amount' | 'currency'>;

/** What the payouts of a file cost in one currency. */
export type Charge = {
  commission: string;
  /** Amounts and commissions: what is taken from the balance if every payout is paid. */
  total: string;
};

export type BatchEstimate = {
  /** By currency, without the rows below. */
  charges: ReadonlyMap<string, Charge>;
  /** How many rows no route takes: their payouts would be declined. */
  withoutRoute: number;
  /** How many rows are converted, at a rate that is not known yet. */
  converted: number;
};

type Sums = { amount: bigint; commission: bigint };

/**
 * Adds up what the rows of a file cost, each on the route that is tried first (R24.13). Another
 * route may have another commission.
 */
export function createEstimate(routes: readonly Route[]) {
  const sums = new Map<string, Sums>();
  let [withoutRoute, converted] = [0, 0];
  return {
    add: (order: Order): void => {
      const [first] = eligibleRoutes(routes, { type: 'payout', ...order });
      if (!first) withoutRoute += 1;
      else if (first.conversion) converted += 1;
      else {
        const { commission } = first;
        const { currency } = order;
        const figures = figuresFor(order.amount, { type: 'payout', currency, commission });
        const before = sums.get(currency) ?? { amount: 0n, commission: 0n };
        sums.set(currency, {
          amount: before.amount + toMinor(order.amount),
          commission: before.commission + toMinor(figures.commission_amount),
        });
      }
    },
    result: (): BatchEstimate => {
      const charges = [...sums].map(([currency, { amount, commission }]) => {
        const total = fromMinor(amount + commission);
        const charge = { commission: fromMinor(commission), total };
        return [currency, charge] as const;
      });
      return { charges: new Map(charges), withoutRoute, converted };
    },
  };
}
