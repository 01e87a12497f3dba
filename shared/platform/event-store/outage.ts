import type { Logger } from '#shared/platform/logging/logger.ts';
import { markLoggedElsewhere } from '#shared/platform/logging/logged-elsewhere.ts';
import { isStoreUnavailable } from './store-unavailable.ts';

type Outage = {
  /** A call failed; it counts only if the store could not be reached. */
  failed(error: unknown): void;
  /** The store answered, with success or an error. */
  answered(): void;
};

/** How often an outage that goes on is logged, and the least time between two log lines. */
const [againMs, restMs] = [30_000, 5_000];

/**
 * Logs an outage of the store for all callers together: at its start, from time to time, and at its
 * end. The callers log nothing of it: with a line for each follower and request, an outage would be
 * thousands of lines.
 */
export function createOutage(
  logger: Pick<Logger, 'warn'>,
  { now = () => performance.now() }: { now?: () => number } = {},
): Outage {
  let away: { since: number; failures: number; told: boolean } | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;

  const answered = () => {
    if (away === undefined) return;
    const { since, failures, told } = away;
    away = undefined;
    if (!told) return;
    toldAt = now();
    logger.warn(
      { awayMs: Math.round(toldAt - since), failures },
      'the event store is reachable again',
    );
  };

  return {
    failed(error) {
      // A refusal is an answer.
      if (!isStoreUnavailable(error)) return answered();
      away ??= { since: now(), failures: 0, told: false };
      away.failures += 1;
      if (now() - toldAt >= (away.told ? againMs : restMs)) {
        const { since, failures } = away;
        // Only its text, because the error itself may be logged already.
        const facts = { reason: String(error), awayMs: Math.round(now() - since), failures };
        logger.warn(
          facts,
          away.told ? 'the event store is still unreachable' : 'the event store is unreachable',
        );
        away.told = true;
        toldAt = now();
      }
      markLoggedElsewhere(error);
    },
    answered,
  };
}
