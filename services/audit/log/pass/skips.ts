import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import type { ProviderEvent } from '#shared/domain/provider/events.ts';
import type { Route } from '#shared/domain/routing.ts';
import { graceMs } from '../../authority/commands.ts';
import type { OperationFacts } from '../operation/fold.ts';
import type { DayLimits } from './day-limits.ts';

/** Reasons that one instance knows before the log does, and that a crash may keep from it. */
const reasons = {
  route_full: 'as full, although less began on them that day',
  provider_failing: 'because their provider fails, although none is recorded to fail',
} as const;
type Reason = keyof typeof reasons;
export const isNoted = (reason: string): reason is Reason => Object.hasOwn(reasons, reason);

type Skip = {
  operation: OperationFacts;
  reason: Reason;
  /** The routes that it may be. */
  routes: readonly Route[];
  atMs: number;
};

/** How many operations are named; the others are only counted. */
const mostNamed = 10;

export type Skips = ReturnType<typeof createSkips>;

/** Compares why routes were skipped with what the log has in the minute after it. */
export function createSkips(dayLimits: DayLimits, shopId?: string) {
  const breakers = new Map<string, { open: number; changedMs: number }>();
  const noted: Record<Reason, string[]> = { route_full: [], provider_failing: [] };
  const counts: Record<Reason, number> = { route_full: 0, provider_failing: 0 };
  let waiting: Skip[] = [];

  const mayFail = (route: Route, atMs: number): boolean =>
    breakerKeys(route).some((key) => {
      const breaker = breakers.get(key);
      return breaker !== undefined && (breaker.open > 0 || breaker.changedMs >= atMs - graceMs);
    });
  const isRight = ({ operation, reason, routes, atMs }: Skip): boolean =>
    routes.some((route) =>
      reason === 'provider_failing'
        ? mayFail(route, atMs)
        : dayLimits.mayBeFull({ operation, route, atMs }, route),
    );
  const settle = (skip: Skip): void => {
    if (isRight(skip)) return;
    counts[skip.reason] += 1;
    const named = noted[skip.reason];
    if (named.length < mostNamed) named.push(skip.operation.operationId);
  };
  const settleUntil = (atMs: number): void => {
    for (let [first] = waiting; first && first.atMs + graceMs < atMs; [first] = waiting) {
      settle(first);
      waiting.shift();
    }
  };
  return {
    settleUntil,
    skip: (skip: Skip): void => {
      if (shopId === undefined || skip.operation.shopId === shopId) waiting.push(skip);
    },
    breaker: ({ type, data }: ProviderEvent, atMs: number): void => {
      const key = breakerKey(data);
      const { open } = breakers.get(key) ?? { open: 0 };
      const next = type === 'ProviderBreakerOpened' ? open + 1 : open - 1;
      breakers.set(key, { open: Math.max(0, next), changedMs: atMs });
    },
    /** A line of text for each reason that the log does not show. */
    notes: (): string[] => {
      waiting.forEach(settle);
      waiting = [];
      return (Object.keys(reasons) as Reason[]).flatMap((reason) => {
        const named = noted[reason];
        const more = counts[reason] - named.length;
        return named.length === 0
          ? []
          : [
              `${counts[reason]} routes were skipped ${reasons[reason]}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
            ];
      });
    },
  };
}

type Calls = { provider: string; account?: string | undefined; type?: string | undefined };

/** A breaker of version 1 is of both types. */
const breakerKey = ({ provider, account = defaultAccount, type = 'all' }: Calls): string =>
  `${type} ${provider}/${account}`;

const breakerKeys = ({ provider, account, type }: Route): string[] => [
  breakerKey({ provider, account, type }),
  breakerKey({ provider, account }),
];
