import { BigNumber } from 'bignumber.js';

/** What one unit of a currency is worth in roubles, for quotes that no option names. */
const inRoubles: Readonly<Record<string, string>> = { RUB: '1', USD: '80', USDT: '80', EUR: '92' };

const places = 6;

/** The rate of a converting route with six decimals: the option's, else a fixed one; nothing for an unknown pair. */
export function quote(
  { from, to }: { from: string; to: string },
  given: string | undefined,
): string | undefined {
  if (given !== undefined) return new BigNumber(given).toFixed(places);
  const [source, target] = [inRoubles[from], inRoubles[to]];
  if (source === undefined || target === undefined) return undefined;
  return new BigNumber(source).dividedBy(target).toFixed(places, BigNumber.ROUND_HALF_UP);
}
