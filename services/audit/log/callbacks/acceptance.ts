import { exactFigures, minorOf, sixPlaces } from '../operation/exact-arithmetic.ts';
import type { OperationFacts } from '../operation/fold.ts';

type Signed = { fx_rate?: unknown; expires_at?: unknown; reference?: unknown };
type Accepted = {
  provider_reference?: string;
  expires_at?: string | undefined;
  fx_rate?: string | undefined;
};

/** How an acceptance contradicts what its provider signed. Its requisites are sealed. */
export function acceptanceAgainst(
  operation: OperationFacts | undefined,
  accepted: Accepted,
  signed: Signed,
): string | undefined {
  const { provider_reference: reference, expires_at: expiresAt } = accepted;
  if (signed.reference !== reference)
    return `it is accepted as ${reference}, the provider signed ${textOf(signed.reference)}`;
  if (!isSameTime(signed.expires_at, expiresAt))
    return `its window ends at ${textOf(expiresAt)}, the provider signed ${textOf(signed.expires_at)}`;
  return rateAgainst(operation, accepted.fx_rate, signed);
}

/** A rate that can't be used gives way to a payout's quote (R11.7). */
export function rateAgainst(
  operation: OperationFacts | undefined,
  rate: string | undefined,
  { fx_rate: signed }: Signed,
): string | undefined {
  const attempt = operation?.attempts.find((each) => each.attempt === operation.accepted?.attempt);
  if (!operation || attempt?.settlementCurrency === undefined) return undefined;
  const named = typeof signed === 'string' ? sixPlaces(signed) : undefined;
  const leaves = named !== undefined && converts(operation, named);
  const due = leaves ? named : operation.reservations.at(-1)?.fxRate;
  return rate === due
    ? undefined
    : `it converts at ${textOf(rate)}, the provider signed ${textOf(signed)}`;
}

const converts = ({ type, amount }: OperationFacts, fxRate: string): boolean =>
  exactFigures(minorOf(amount), { type, commission: { percent: '0', fixed: '0.00' }, fxRate })
    .recorded > 0n;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : 'none');

/** In whatever spelling; what a provider leaves out is no time. */
export function isSameTime(signed: unknown, time: string | undefined): boolean {
  if (typeof signed !== 'string' || time === undefined) return signed === time;
  return Date.parse(signed) === Date.parse(time);
}
