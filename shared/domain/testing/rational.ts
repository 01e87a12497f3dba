import fc from 'fast-check';

/** An exact number, independent of the library under test. */
export type Rational = { numerator: bigint; denominator: bigint };

export const rational = (text: string): Rational => {
  const [whole = '0', decimals = ''] = text.split('.');
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) };
};
export const times = (left: Rational, right: Rational): Rational => ({
  numerator: left.numerator * right.numerator,
  denominator: left.denominator * right.denominator,
});
/** In units of 10^-digits, half up. */
export const rounded = ({ numerator, denominator }: Rational, digits: number): bigint =>
  (2n * numerator * 10n ** BigInt(digits) + denominator) / (2n * denominator);
export const units = (text: string): bigint => BigInt(text.replace('.', ''));

/** A decimal text below `max` with `digits` decimal places. */
export const decimal = (digits: number | { min: number; max: number }, max: bigint) =>
  fc
    .tuple(
      fc.bigInt({ min: 0n, max: max - 1n }),
      typeof digits === 'number' ? fc.constant(digits) : fc.integer(digits),
    )
    .chain(([whole, places]) =>
      fc
        .bigInt({ min: 0n, max: 10n ** BigInt(places) - 1n })
        .map((part) =>
          places === 0 ? `${whole}` : `${whole}.${String(part).padStart(places, '0')}`,
        ),
    );
