import { setTimeout as delay } from 'node:timers/promises';
import {
  adjustmentEventSchemas,
  adjustmentStreamPrefix,
  type AdjustmentRequest,
} from '#shared/domain/adjustment/events.ts';
import { follow, type EventStore, type StoredEvent } from '#shared/event-store/index.ts';
import type { Ledgers } from '#shared/ledger/types.ts';
import type { Logger } from '#shared/logger.ts';
import type { Origin } from '#shared/operations/origin.ts';
import { adjust } from './adjust.ts';

type Pending = { request: AdjustmentRequest; origin: Origin; requestedAt: number };

export type FinisherOptions = {
  store: EventStore;
  ledgers: Ledgers;
  logger: Logger;
  signal: AbortSignal;
  everyMs?: number;
};

const defaultEveryMs = 30_000;

/**
 * Posts adjustments whose own command died between request and entry, until the signal: what an operator was not told
 * to be refused must not stay half done. Reads the log from its start; what is posted already is known by its stream.
 */
export async function finishPending(options: FinisherOptions): Promise<void> {
  const { store, logger, signal, everyMs = defaultEveryMs } = options;
  const pending = new Map<string, Pending>();
  const caughtUp = Promise.withResolvers<void>();
  let position: bigint | undefined;
  const following = follow({
    store,
    filter: { streamPrefixes: [adjustmentStreamPrefix] },
    checkpoint: async () => position,
    handle: async (batch) => {
      for (const item of batch) {
        if (item.kind === 'caught_up') caughtUp.resolve();
        else if (item.kind === 'event') keep(pending, item.event);
        if (item.kind !== 'caught_up') position = item.kind === 'event' ? item.event.position : item.position;
      }
    },
    onError: (error) => logger.warn({ err: error }, 'adjustments can not be followed'),
    signal,
  });
  await Promise.race([caughtUp.promise, following]);
  while (!signal.aborted) {
    // Its own command is given as long, before it counts as dead; both may go on, the entry is one.
    const before = Date.now() - everyMs;
    for (const [stream, each] of pending) {
      if (signal.aborted) break;
      if (each.requestedAt <= before) await finish(options, stream, each);
    }
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await following;
}

function keep(
  pending: Map<string, Pending>,
  { stream, type, data, metadata, created, id }: StoredEvent,
): void {
  if (type === 'AdjustmentPosted') pending.delete(stream);
  const request = type === 'AdjustmentRequested' && adjustmentEventSchemas[type].safeParse(data).data;
  if (!request) return;
  const { actor, correlation_id: correlationId, traceparent } = metadata;
  const origin = { actor, correlationId, causationId: id, traceparent };
  pending.set(stream, { request, origin, requestedAt: created.getTime() });
}

async function finish(
  { store, ledgers, logger }: FinisherOptions,
  stream: string,
  { request, origin }: Pending,
): Promise<void> {
  try {
    await adjust({ store, ledgers }, request, origin);
    logger.warn({ stream }, 'an adjustment was not finished by its own command');
  } catch (error) {
    logger.warn({ err: error, stream }, 'an adjustment could not be finished');
  }
}
