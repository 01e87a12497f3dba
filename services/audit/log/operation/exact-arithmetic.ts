import { decimalsIn } from '#shared/domain/currencies.ts';

/**
 * The figures of R11.2 to R11.7 in exact integer fractions. This is the auditor's own arithmetic:
 * it shares only the table of currencies with the gateway's, which it checks.
 */

/** An amount in hundredths. */
export type ExactMinor = bigint;

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/;

/** A decimal as `digits / 10^places`. @throws when the text is not a decimal */
function fraction(text: string): { digits: bigint; scale: bigint } {
  const [, sign, integer, part = ''] = decimal.exec(text) ?? [];
  if (integer === undefined) throw new Error(`no decimal: ${text}`);
  const digits = BigInt(integer + part);
  return { digits: sign === '-' ? -digits : digits, scale: 10n ** BigInt(part.length) };
}

/** @throws when the text is not an amount with two places */
export function parseExactMinor(amount: string): ExactMinor {
  const dot = amount.length - 3;
  if (amount[dot] !== '.') throw new Error(`no amount with two places: ${amount}`);
  return BigInt(amount.slice(0, dot) + amount.slice(dot + 1));
}

export function formatExactMinor(minor: ExactMinor): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export const sumAmounts = (amounts: readonly string[]): ExactMinor =>
  amounts.reduce((sum, amount) => sum + parseExactMinor(amount), 0n);

/** The smallest unit of a currency, in hundredths. */
const unitIn = (currency: string): ExactMinor =>
  10n ** BigInt(2 - Math.min(2, decimalsIn(currency)));

/** Whether an amount is a whole number of the currency's smallest units. */
export const isWholeIn = (currency: string, minor: ExactMinor): boolean =>
  minor % unitIn(currency) === 0n;

/** `numerator / denominator`, rounded half up; not for negative numbers. */
const roundHalfUp = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

/** A rate with six places (R11.7); undefined when it is no positive decimal. */
export function sixPlaces(rate: string): string | undefined {
  if (!/^\d{1,12}(\.\d{1,18})?$/.test(rate)) return undefined;
  const { digits, scale } = fraction(rate);
  const millionths = roundHalfUp(digits * 1_000_000n, scale);
  const text = millionths.toString().padStart(7, '0');
  return millionths === 0n ? undefined : `${text.slice(0, -6)}.${text.slice(-6)}`;
}

type ExactFigures = { recorded: ExactMinor; commission: ExactMinor; settlement: ExactMinor };

/** An amount on a route: converted, its commission, and what it moves on the shop's balance. */
export function exactFigures(
  amount: ExactMinor,
  input: {
    type: 'payment' | 'payout';
    /** That of the ledger. */
    currency: string;
    commission: { percent: string; fixed: string };
    fxRate?: string | undefined;
  },
): ExactFigures {
  if (amount === 0n) return { recorded: 0n, commission: 0n, settlement: 0n };
  const unit = unitIn(input.currency);
  const rate = input.fxRate === undefined ? undefined : fraction(input.fxRate);
  const recorded = rate ? unit * roundHalfUp(amount * rate.digits, rate.scale * unit) : amount;
  const percent = fraction(input.commission.percent);
  const full =
    unit * roundHalfUp(recorded * percent.digits, percent.scale * 100n * unit) +
    parseExactMinor(input.commission.fixed);
  const commission = input.type === 'payment' && full > recorded ? recorded : full;
  const settlement = input.type === 'payment' ? recorded - commission : recorded + commission;
  return { recorded, commission, settlement };
}

/** An amount as the auditor writes it, for a column; null if there is none. */
export const exactText = (amount: string | undefined): string | null =>
  amount === undefined ? null : formatExactMinor(parseExactMinor(amount));
