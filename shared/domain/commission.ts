import { BigNumber } from 'bignumber.js';
import { amountIn, fromAmount, toAmount, zero, type Amount } from './money.ts';
import type { OperationType } from './operation-type.ts';

type Commission = { percent: string; fixed: Amount };

type Figures = {
  /** The amount in the ledger's currency: converted if the route converts. */
  recorded_amount: Amount;
  commission_amount: Amount;
  /** The change of the shop's balance: a payment's credit, a payout's charge. */
  settlement_amount: Amount;
};

/**
 * The ledger figures for an amount (R11.3 to R11.6), in the currency of the ledger: `recorded = round(amount × rate)`,
 * `commission = round(recorded × percent / 100) + fixed`, settlement net of it for a payment and
 * with it for a payout. A payment's commission is never more than its base.
 */
export function figuresFor(
  amount: Amount,
  {
    type,
    currency,
    commission,
    fxRate,
  }: {
    type: OperationType;
    currency: string;
    commission: Commission;
    fxRate?: string | undefined;
  },
): Figures {
  const money = fromAmount(amount);
  if (money.isZero())
    return { recorded_amount: zero, commission_amount: zero, settlement_amount: zero };
  const recorded = fxRate === undefined ? amount : amountIn(currency, money.times(fxRate));
  const base = fxRate === undefined ? money : fromAmount(recorded);
  const full = fromAmount(amountIn(currency, base.times(commission.percent).dividedBy(100))).plus(
    commission.fixed,
  );
  const charged = type === 'payment' ? BigNumber.min(full, base) : full;
  return {
    recorded_amount: recorded,
    commission_amount: toAmount(charged),
    settlement_amount: toAmount(type === 'payment' ? base.minus(charged) : base.plus(charged)),
  };
}
