import { methodNames, methods } from '#shared/domain/methods/index.ts';
import type { UnsupportedFeatures } from '#shared/domain/operation/due-steps/withdrawals.ts';
import type { RouteKind, ProviderConnector, Providers } from './connector.ts';

/** The calls that providers do not support, declared by their connectors, for decisions. */
export function unsupportedBy(providers: Providers): UnsupportedFeatures {
  const names = (lacks: (connector: ProviderConnector) => boolean) =>
    new Set([...providers].filter(([, connector]) => lacks(connector)).map(([name]) => name));
  return {
    callbacks: names(({ reports }) => reports.by === 'polling'),
    withdrawal: names(({ withdraw }) => withdraw === undefined),
  };
}

/** The largest clock difference, unless a connector declares another. */
export const defaultClockSkewMs = 300_000;

/**
 * The time up to which everything that was sent to a provider has arrived by now, or never will;
 * undefined if that is unknown.
 */
export function arrivedUntil(
  { submissions }: Pick<ProviderConnector, 'submissions'>,
  nowMs: number,
): string | undefined {
  const { mayArriveForMs, clockSkewMs = defaultClockSkewMs } = submissions;
  if (mayArriveForMs === undefined) return undefined;
  return new Date(nowMs - mayArriveForMs - clockSkewMs).toISOString();
}

/** What a provider carries if it carries every method, in both directions. */
export const everyMethod: readonly RouteKind[] = methodNames.flatMap((method) =>
  (['payment', 'payout'] as const).map((type) => ({
    type,
    method,
    currency: methods[method].currency,
  })),
);

/** Whether the provider carries operations of this kind. */
export const carries = (
  { carries: all }: Pick<ProviderConnector, 'carries'>,
  { type, method, currency }: RouteKind,
): boolean =>
  all.some((each) => each.type === type && each.method === method && each.currency === currency);
