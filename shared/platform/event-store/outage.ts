import type { Logger } from '#shared/platform/logging/logger.ts';
import { markLoggedElsewhere } from '#shared/platform/logging/logged-elsewhere.ts';
import { createWaitLog } from '#shared/platform/logging/wait-log.ts';
import { isRefusal, isStoreUnavailable } from './store-unavailable.ts';

type Outage = {
  /** A call failed: the store was unreachable, it refused, or there is another reason. */
  failed(error: unknown): void;
  /** The store responded, with success or an error. */
  responded(): void;
};

/** While an outage lasts, it is logged every 30 s; two log lines are at least 5 s apart. */
const [repeatMs, minGapMs] = [30_000, 5_000];

/**
 * Logs an outage of the store for all callers together: at its start, every 30 s, and at its end. A
 * store that has not responded yet is starting, as is this process: that is a wait, and no outage.
 * The callers don't log it: with a line for each follower and request, an outage would be thousands
 * of lines.
 */
export function createOutage(
  logger: Pick<Logger, 'info' | 'warn'>,
  { now = () => performance.now() }: { now?: () => number } = {},
): Outage {
  let outage: { since: number; failures: number; logged: boolean } | undefined;
  let lastLoggedAt = Number.NEGATIVE_INFINITY;
  let everResponded = false;
  const waiting = createWaitLog('the event store', { logger, now });

  const responded = () => {
    everResponded = true;
    if (outage === undefined) return;
    const { since, failures, logged } = outage;
    outage = undefined;
    if (!logged) return;
    lastLoggedAt = now();
    logger.warn(
      { outageMs: Math.round(lastLoggedAt - since), failures },
      'the event store is reachable again',
    );
  };

  return {
    failed(error) {
      if (isRefusal(error)) return responded();
      // Any other error (a cancelled call, a bug) says nothing about the store.
      if (!isStoreUnavailable(error)) return undefined;
      markLoggedElsewhere(error);
      if (!everResponded) return waiting(String(error));
      outage ??= { since: now(), failures: 0, logged: false };
      outage.failures += 1;
      if (now() - lastLoggedAt >= (outage.logged ? repeatMs : minGapMs)) {
        const { since, failures } = outage;
        // Only its text, because the error itself may be logged already.
        const facts = { reason: String(error), outageMs: Math.round(now() - since), failures };
        logger.warn(
          facts,
          outage.logged ? 'the event store is still unreachable' : 'the event store is unreachable',
        );
        outage.logged = true;
        lastLoggedAt = now();
      }
    },
    responded,
  };
}
