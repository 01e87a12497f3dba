import type { Kysely } from 'kysely';
import type { JsMsg, NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { BooksFirst } from '#shared/application/operations/books-first.ts';
import { spanNow } from '#shared/platform/tracing/span.ts';
import { isTracing, recordSpan } from '#shared/platform/tracing/tracing.ts';
import {
  ackWaitMs,
  decodePointer,
  ensureBus,
  maxAckPending,
  type BusNames,
  type EventPointer,
} from '../bus.ts';
import type { Component } from '../component.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { Handover } from '../handover.ts';
import { messagesOwed, type NewMessage, type OwedMessage } from './message.ts';
import { createOwedSince } from './owed-since.ts';
import { recordMessages } from './record.ts';

export type IngestOptions = {
  store: EventStore;
  db: Kysely<WebhooksDatabase>;
  nats: NatsConnection;
  names: BusNames;
  logger: Logger;
  /** Asked before a webhook is recorded: nobody is told of an end that the books do not have. */
  booksFirst: Pick<BooksFirst, 'post'>;
  /** Where a dispatcher may run in the same process. */
  handover?: Handover;
  onRecorded?: (messages: number) => void;
  /** An event whose webhook can't be built; it is tried again for ever. */
  onUnbuildable?: () => void;
};

/** Pointers in one transaction. */
const maxBatch = 200;
const readsAtOnce = 16;
const pullExpiresMs = 4_000;
const retryPauseMs = 500;
/** How soon a pointer comes again whose operation could not be understood. */
const unbuildableRetryMs = 30_000;
/** A replica of the store may not have the event yet. */
const notReadableRetryMs = 500;
/** Entries are mostly there, or made within milliseconds. */
const booksWaitMs = 1_000;
const ackTimeoutMs = 2_000;
const staleAfterMs = 5_000;

/**
 * Takes pointers from the stream and records the webhooks that they owe. A pointer is acknowledged, and the
 * acknowledgement confirmed, only after its messages are committed; what comes twice changes nothing.
 */
export function createIngest(options: IngestOptions): Component {
  const { store, db, nats, names, logger, booksFirst, handover } = options;
  const owedSince = createOwedSince(store);
  let heardAt = Number.NEGATIVE_INFINITY;
  let failing = false;

  /** The messages that the pointers' operations owe so far, and how soon to come back to those that can't be built. */
  const build = async (pointers: readonly EventPointer[]) => {
    const heads = new Map<string, number>();
    for (const { stream, revision } of pointers) {
      heads.set(stream, Math.max(revision, heads.get(stream) ?? -1));
    }
    const owed: OwedMessage[] = [];
    const ended: Promise<void>[] = [];
    const comeBackMs = new Map<string, number>();
    await inTurns([...heads], readsAtOnce, async ([stream, revision]) => {
      const events = await eventsUpTo(store, stream, revision);
      if (events.at(-1)?.revision !== revision) {
        comeBackMs.set(stream, notReadableRetryMs);
        return;
      }
      try {
        const { operation, messages } = messagesOwed(events);
        if (operation) ended.push(booksFirst.post(operation, events));
        owed.push(...messages);
      } catch (error) {
        logger.error({ err: error, stream, revision }, 'a webhook can not be built');
        comeBackMs.set(stream, unbuildableRetryMs);
        options.onUnbuildable?.();
      }
    });
    // One shop's books that do not answer may not hold up the webhooks of the others.
    await Promise.race([Promise.all(ended), delay(booksWaitMs, undefined, { ref: false })]);
    // Asked after the pointers came: a webhook that was configured before their events is seen.
    const since = new Map<string, bigint | undefined>();
    await inTurns([...new Set(owed.map(({ message }) => message.shopId))], readsAtOnce, async (shopId) => {
      since.set(shopId, await owedSince(shopId));
    });
    const messages = owed
      .filter(({ message, position }) => (since.get(message.shopId) ?? position) < position)
      .map(({ message }) => message);
    return { messages, comeBackMs };
  };

  /** Records what a batch owes; what is still to be done with its pointers. */
  const processBatch = async (batch: readonly JsMsg[]): Promise<() => Promise<void>> => {
    const pointers = batch.map((message) => ({ message, pointer: decodePointer(message.data) }));
    const { messages, comeBackMs } = await build(pointers.flatMap(({ pointer }) => pointer ?? []));
    const beganMs = spanNow();
    const taken = await handover?.take(messages);
    const recorded = await recordMessages(db, messages, taken);
    if (taken) handover?.send(messages, taken, recorded);
    traceRecorded(messages, { beganMs, named: new Set(pointers.map(({ pointer }) => pointer?.eventId)) });
    options.onRecorded?.(recorded.size);
    return async () => {
      await Promise.all(
        pointers.map(async ({ message, pointer }) => {
          const againMs = pointer && comeBackMs.get(pointer.stream);
          if (againMs !== undefined) {
            message.nak(againMs);
            return;
          }
          if (!pointer) logger.error({ sequence: message.seq }, 'a message of the stream is no pointer');
          // Recorded is recorded: an acknowledgement that is lost only brings the pointer again.
          await message.ackAck({ timeout: ackTimeoutMs }).catch(() => undefined);
        }),
      );
    };
  };

  /** Until it is done or the signal: what is held meanwhile is told to the server, so that nobody else gets it. */
  const processUntilDone = async (
    batch: readonly JsMsg[],
    signal: AbortSignal,
  ): Promise<(() => Promise<void>) | undefined> => {
    const holding = setInterval(() => {
      for (const message of batch) message.working();
    }, ackWaitMs / 2);
    try {
      while (!signal.aborted) {
        try {
          const acknowledge = await processBatch(batch);
          failing = false;
          heardAt = performance.now();
          return acknowledge;
        } catch (error) {
          failing = true;
          logger.warn({ err: error }, 'webhooks could not be recorded, trying again');
          await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
        }
      }
      return undefined;
    } finally {
      clearInterval(holding);
    }
  };

  /** Consumes until the signal, or until the stream or its consumer is gone. */
  const consume = async (signal: AbortSignal): Promise<void> => {
    await ensureBus(await nats.jetstreamManager(), names);
    const consumer = await nats.jetstream().consumers.get(names.stream, names.consumer);
    // By sequence: what waits here longer than the server does comes again, in its own place.
    const taken = new Map<number, JsMsg>();
    let wake = Promise.withResolvers<void>();
    let ended = false;
    const messages = await consumer.consume({
      max_messages: maxAckPending / 2,
      expires: pullExpiresMs,
      abort_on_missing_resource: true,
      callback: (message) => {
        taken.set(message.seq, message);
        wake.resolve();
      },
    });
    const closed = messages.closed().then((error) => {
      ended = true;
      wake.resolve();
      return error;
    });
    const stop = () => void messages.close();
    signal.addEventListener('abort', stop, { once: true });
    // The server sends a sign of life with every pull; a stream that is gone ends the loop.
    const alive = setInterval(() => {
      if (!nats.isClosed())
        void consumer
          .info()
          .then(() => (heardAt = performance.now()))
          .catch(() => undefined);
    }, staleAfterMs / 2.5);
    heardAt = performance.now();
    // The pointers of one batch are acknowledged while the next one is recorded.
    let acknowledging: Promise<void> | undefined;
    try {
      while (!signal.aborted && !(ended && taken.size === 0)) {
        const batch = [...taken.values()].slice(0, maxBatch);
        for (const { seq } of batch) taken.delete(seq);
        if (batch.length > 0) {
          const acknowledge = await processUntilDone(batch, signal);
          await acknowledging;
          acknowledging = acknowledge?.();
          continue;
        }
        await wake.promise;
        wake = Promise.withResolvers<void>();
      }
    } finally {
      clearInterval(alive);
      signal.removeEventListener('abort', stop);
      await acknowledging;
      await messages.close();
    }
    const error = await closed;
    if (error && !signal.aborted) throw error;
  };

  return {
    name: 'ingest',
    notReady: () =>
      failing || performance.now() - heardAt > staleAfterMs
        ? 'the ingest does not reach its stores'
        : undefined,
    run: async (signal) => {
      while (!signal.aborted) {
        await consume(signal).catch((error: unknown) => {
          if (!signal.aborted) logger.warn({ err: error }, 'the ingest begins again');
        });
        await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** Mostly they have just come by; a replica of the store may not have the newest yet. @throws when they can't be read */
async function eventsUpTo(
  store: EventStore,
  stream: string,
  revision: number,
): Promise<readonly StoredEvent[]> {
  const recent = store.recent(stream);
  if (recent && recent.length > revision) return recent.slice(0, revision + 1);
  return store.read(stream, { maxCount: revision + 1 });
}

/** One transaction records for many traces: each gets a span of it, for the messages that were pointed at. */
function traceRecorded(
  messages: readonly NewMessage[],
  { beganMs, named }: { beganMs: number; named: ReadonlySet<string | undefined> },
): void {
  if (!isTracing()) return;
  for (const { messageId, operationId, traceparent } of messages) {
    if (!named.has(messageId)) continue;
    const attributes = { 'gateway.message_id': messageId, 'gateway.operation_id': operationId ?? '' };
    recordSpan({ name: 'webhook record', kind: 'consumer', traceparent, attributes }, beganMs);
  }
}

/** Runs the work of all items, at most `atOnce` at a time. @throws what the first one throws */
async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
