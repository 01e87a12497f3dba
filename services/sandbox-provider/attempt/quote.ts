import { BigNumber } from 'bignumber.js';
import type { WireQuoteRequest } from '#shared/application/providers/sandbox/wire.ts';
import { readSandboxOptions } from './options.ts';

/** The value of one unit of a currency in roubles, for quotes without an option. */
const inRoubles: Readonly<Record<string, string>> = { RUB: '1', USD: '80', USDT: '80', EUR: '92' };

const places = 6;

/**
 * The rate of a converting route with six decimals: the option's, else a fixed one; undefined for
 * an unknown pair.
 */
export function quote(
  { from, to }: { from: string; to: string },
  fixedRate: string | undefined,
): string | undefined {
  if (fixedRate !== undefined) return new BigNumber(fixedRate).toFixed(places);
  const [source, target] = [inRoubles[from], inRoubles[to]];
  if (source === undefined || target === undefined) return undefined;
  return new BigNumber(source).dividedBy(target).toFixed(places, BigNumber.ROUND_HALF_UP);
}

/**
 * The quote that a submission with the same currencies and options would be accepted at; it is not
 * stored.
 */
export function quoteFor({
  currency,
  settlement_currency,
  options,
}: WireQuoteRequest):
  | { outcome: 'quoted'; fx_rate: string }
  | { outcome: 'refused'; reason: string } {
  const read = readSandboxOptions(options);
  if (!read.ok) return { outcome: 'refused', reason: read.reason };
  const fxRate = quote({ from: currency, to: settlement_currency }, read.options.fx_rate);
  return fxRate === undefined
    ? { outcome: 'refused', reason: 'no_quote' }
    : { outcome: 'quoted', fx_rate: fxRate };
}
