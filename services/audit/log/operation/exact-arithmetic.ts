/**
 * The figures of R11.2 to R11.7 in exact integer fractions. This is the auditor's own arithmetic:
 * it shares nothing with the gateway's, which it checks.
 */

/** An amount in hundredths. */
export type Minor = bigint;

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/;

/** A decimal as `digits / 10^places`. @throws when the text is not a decimal */
function fraction(text: string): { digits: bigint; scale: bigint } {
  const [, sign, integer, part = ''] = decimal.exec(text) ?? [];
  if (integer === undefined) throw new Error(`no decimal: ${text}`);
  const digits = BigInt(integer + part);
  return { digits: sign === '-' ? -digits : digits, scale: 10n ** BigInt(part.length) };
}

/** @throws when the text is not an amount with two places */
export function minorOf(amount: string): Minor {
  const dot = amount.length - 3;
  if (amount[dot] !== '.') throw new Error(`no amount with two places: ${amount}`);
  return BigInt(amount.slice(0, dot) + amount.slice(dot + 1));
}

export function amountOf(minor: Minor): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export const totalOf = (amounts: readonly string[]): Minor =>
  amounts.reduce((sum, amount) => sum + minorOf(amount), 0n);

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

type ExactFigures = { recorded: Minor; commission: Minor; settlement: Minor };

/** An amount on a route: converted, its commission, and what it moves on the shop's balance. */
export function exactFigures(
  amount: Minor,
  input: {
    type: 'payment' | 'payout';
    commission: { percent: string; fixed: string };
    fxRate?: string | undefined;
  },
): ExactFigures {
  if (amount === 0n) return { recorded: 0n, commission: 0n, settlement: 0n };
  const rate = input.fxRate === undefined ? { digits: 1n, scale: 1n } : fraction(input.fxRate);
  const recorded = roundHalfUp(amount * rate.digits, rate.scale);
  const percent = fraction(input.commission.percent);
  const full =
    roundHalfUp(recorded * percent.digits, percent.scale * 100n) + minorOf(input.commission.fixed);
  const commission = input.type === 'payment' && full > recorded ? recorded : full;
  const settlement = input.type === 'payment' ? recorded - commission : recorded + commission;
  return { recorded, commission, settlement };
}
