import {
  afterCall,
  breakerPolicy,
  closedBreaker,
  mayTry,
  type Breaker,
} from '#shared/domain/provider/breaker.ts';
import { accountKey, providerAccount } from '#shared/domain/provider/accounts.ts';
import { providerStream, type ProviderEvent } from '#shared/domain/provider/events.ts';
import type { Route } from '#shared/domain/routing.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { appendAtHead, type EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';

/** One breaker for payments and one for payouts of an account: either may fail alone. */
type Calls = Pick<Route, 'provider' | 'account' | 'type'>;

/**
 * The circuit breakers of this process, from its own calls. While all providers answer, breakers
 * cause no reads and no writes.
 */
export type Breakers = {
  /**
   * Whether to skip the provider for that type now. Call it just before an attempt: `false` may use
   * up the single trial call.
   */
  failing(calls: Calls): boolean;
  /** Whether only a single trial call may be made, now or after a pause. */
  isOpen(calls: Calls): boolean;
  /** A submission begins; the returned function counts its outcome. */
  begin(calls: Calls): (outcome: { unknown: boolean }) => void;
  /** Resolves when the changes of state are in the log, or could not be written. */
  stop(): Promise<void>;
};

export function createBreakers(
  { store, logger }: { store: EventStore; logger: Pick<Logger, 'warn'> },
  { policy = breakerPolicy, now = () => performance.now() } = {},
): Breakers {
  const breakers = new Map<string, Breaker>();
  const breakerKey = (calls: Calls): string =>
    `${calls.type} ${accountKey(calls.provider, providerAccount(calls))}`;
  const writing = new Set<Promise<void>>();

  const publish = (event: ProviderEvent) => {
    const { provider } = event.data;
    logger.warn(
      event.data,
      event.type === 'ProviderBreakerOpened' ? 'provider is failing' : 'provider has recovered',
    );
    const origin = { actor: 'service:merchant-api', correlationId: newId() };
    // Only for information: routing uses this process's own state, whether or not the log has it.
    const write: Promise<void> = appendAtHead(
      store,
      providerStream(provider),
      toNewEvents([event], origin),
    )
      .then(() => undefined)
      .catch((err: unknown) =>
        logger.warn({ err, provider }, 'the state of a breaker could not be published'),
      )
      .finally(() => writing.delete(write));
    writing.add(write);
  };

  return {
    failing: (calls) => {
      const current = breakers.get(breakerKey(calls));
      if (!current || current.phase === 'closed') return false;
      const { may, breaker } = mayTry(current, now(), policy);
      breakers.set(breakerKey(calls), breaker);
      return !may;
    },
    isOpen: (calls) => (breakers.get(breakerKey(calls))?.phase ?? 'closed') !== 'closed',
    begin: (calls) => {
      const beganMs = now();
      return ({ unknown }) => {
        const before = breakers.get(breakerKey(calls)) ?? closedBreaker(now());
        const turn = afterCall(before, { unknown, beganMs, atMs: now() }, policy);
        breakers.set(breakerKey(calls), turn.breaker);
        const { provider, account, type } = calls;
        const subject = { provider, type, ...(account !== undefined && { account }) };
        if (turn.opened)
          publish({ type: 'ProviderBreakerOpened', data: { ...subject, ...turn.opened } });
        if (turn.closed) publish({ type: 'ProviderBreakerClosed', data: subject });
      };
    },
    stop: async () => void (await Promise.all(writing)),
  };
}
