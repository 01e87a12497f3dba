import {
  adjustmentStreamPrefix,
  decodeAdjustmentEvent,
  type AdjustmentRequest,
} from '#shared/domain/adjustment/events.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { continuedFrom, type Origin } from '#shared/application/commands/origin.ts';
import type { SweepTask } from '../sweeper.ts';
import { adjust } from '#shared/application/ledger/adjust.ts';

type PendingAdjustment = { request: AdjustmentRequest; origin: Origin; requestedAt: number };

type FinisherOptions = {
  store: EventStore;
  ledgers: Ledgers;
  logger: Logger;
  everyMs?: number;
};

const defaultEveryMs = 30_000;

/**
 * Posts adjustments whose process died between request and entry. The operator got no refusal, so
 * they must not stay half done.
 */
export function unpostedAdjustments(options: FinisherOptions): SweepTask {
  const { everyMs = defaultEveryMs } = options;
  const pending = new Map<string, PendingAdjustment>();
  return {
    name: 'adjustments',
    streamPrefix: adjustmentStreamPrefix,
    everyMs,
    collect: (event) => addPending(pending, event),
    isOpen: (stream) => pending.has(stream),
    sweep: async (signal) => {
      // The command has this long before its process counts as dead. If both post, there is still
      // only one entry.
      const before = Date.now() - everyMs;
      for (const [stream, each] of pending) {
        if (signal.aborted) return;
        if (each.requestedAt <= before) await finish(options, stream, each);
      }
    },
  };
}

function addPending(pending: Map<string, PendingAdjustment>, event: StoredEvent): void {
  const { stream, created } = event;
  const { type, data } = decodeAdjustmentEvent(event);
  if (type === 'AdjustmentPosted') pending.delete(stream);
  else
    pending.set(stream, {
      request: data,
      origin: continuedFrom(event),
      requestedAt: created.getTime(),
    });
}

async function finish(
  { store, ledgers, logger }: FinisherOptions,
  stream: string,
  { request, origin }: PendingAdjustment,
): Promise<void> {
  try {
    await adjust({ store, ledgers }, request, origin);
    logger.warn({ stream }, 'finished an adjustment that an interrupted command had left');
  } catch (error) {
    logger.warn({ err: error, stream }, 'an adjustment could not be finished');
  }
}
