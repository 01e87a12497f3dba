import { toMinor } from '#shared/domain/ledger/minor.ts';
import { bankAmount, cut } from './values.ts';

export type Charges = ReturnType<typeof createCharges>;

const mostCurrencies = 100;

type Charge = { amount: string; currency: string; mark: string };

/**
 * The charges that an entry or one of its transactions states: `Chrgs` itself in the early versions,
 * each of its records in later ones, else its total.
 */
export function createCharges() {
  const sums = new Map<string, bigint>();
  let charge: Partial<Charge> = {};
  let total: Partial<Charge> | undefined;

  const add = ({ amount: text = '', currency = '', mark }: Partial<Charge>): void => {
    const amount = bankAmount(text);
    if (amount === undefined) return;
    const minor = mark === 'CRDT' ? toMinor(amount) : -toMinor(amount);
    // More currencies than an entry has are no charges of it.
    if (sums.size < mostCurrencies || sums.has(currency))
      sums.set(currency, (sums.get(currency) ?? 0n) + minor);
  };

  return {
    open(path: string, currency: string): void {
      if (path === 'Chrgs') [charge, total] = [{}, undefined];
      else if (path === 'Chrgs/Rcrd') charge = {};
      else if (/^Chrgs\/(?:Rcrd\/)?Amt$/.test(path)) charge.currency = currency;
      else if (path === 'Chrgs/TtlChrgsAndTaxAmt') total = { currency };
    },
    close(path: string, text: string): void {
      if (path === 'Chrgs/TtlChrgsAndTaxAmt') total = { ...total, amount: cut(text) };
      else if (/^Chrgs\/(?:Rcrd\/)?Amt$/.test(path)) charge.amount = cut(text);
      else if (/^Chrgs\/(?:Rcrd\/)?CdtDbtInd$/.test(path)) charge.mark = cut(text);
      else if (path === 'Chrgs/Rcrd') {
        add(charge);
        [charge, total] = [{}, undefined];
      } else if (path === 'Chrgs') add(charge.amount === undefined ? (total ?? {}) : charge);
    },
    /** What they add to the account, in minor units of the currency: less than zero if it pays. */
    sum: (currency: string): bigint => sums.get(currency) ?? 0n,
  };
}
