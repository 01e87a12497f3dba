import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import {
  checkpointAfter,
  CheckpointNotInLog,
  refusedPauseMs,
  type CheckpointGuard,
  type EventStore,
  type LogCheckpoint,
  type LogItem,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Component } from '../component.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { createPostedInTime, type BuildOptions } from '../ingest/build-messages.ts';
import type { NewMessage } from '../message.ts';
import { messagesOf, readMessageSource } from '../message-source.ts';
import {
  createReadSubscriptions,
  forEndpoints,
  type ReadSubscriptions,
  type Subscriptions,
} from '../ingest/subscriptions.ts';
import { recordMessages } from '../ingest/record.ts';
import {
  mayRequireWebhook,
  typesWithoutWebhook,
  relayedStreams,
} from '../relay/events-requiring-webhooks.ts';
import { loadReconciled, saveReconciled } from './checkpoint.ts';
import { createPace } from './pace.ts';

type ReconcileOptions = Pick<BuildOptions, 'store' | 'logger' | 'entryPoster'> & {
  db: Kysely<WebhooksDatabase>;
  guard: Pick<CheckpointGuard, 'verify'>;
  everyMs?: number;
  /** Events younger than this may still be in the relay or the ingest. */
  minAgeMs?: number;
  onReconciled?: (pass: { events: number; repaired: number; lagMs: number }) => void;
};

/** From the start of one pass to the start of the next. */
const defaultEveryMs = 30_000;
const defaultMinAgeMs = 60_000;
const maxBatch = 500;
const readsAtOnce = 8;
/** How many events may wait for the entries of their ends, or to be read. */
const maxWaiting = 10_000;
/**
 * How many seconds of the log it reads in one second: it is not urgent, and merchants need the
 * store.
 */
const unhurriedSpeed = 1.3;

/**
 * Reads the log a second time, a minute later, and checks that every expected webhook is recorded.
 * It records a missing one, as the ingest would have done. It does not use the stream, so it finds
 * everything that relay or ingest have lost.
 */
export function createReconciliation(options: ReconcileOptions): Component {
  const { logger, everyMs = defaultEveryMs } = options;
  const ports = {
    readSubscriptions: createReadSubscriptions(options.store),
    postedInTime: createPostedInTime(options.entryPoster),
  };
  let progress: Progress | undefined;
  let failing = false;
  return {
    name: 'reconcile',
    notReady: () => (failing ? 'the reconciliation can’t reach its stores' : undefined),
    run: async (signal) => {
      while (!signal.aborted) {
        const startedAt = performance.now();
        let passEveryMs = everyMs;
        try {
          progress = await progressOf(options.db, progress);
          await reconcile(options, { ports, progress, signal });
          failing = false;
        } catch (error) {
          if (signal.aborted) return;
          failing = true;
          // The guard has logged this one.
          if (error instanceof CheckpointNotInLog) {
            passEveryMs = Math.min(everyMs, refusedPauseMs);
            progress = undefined;
          } else logger.warn({ err: error }, 'webhooks could not be reconciled with the log');
        }
        const restMs = Math.max(0, startedAt + passEveryMs - performance.now());
        await delay(restMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/**
 * How far this process has come. While events wait, the saved checkpoint stays before them, so that
 * a restart finds them again.
 */
type Progress = {
  saved: bigint | undefined;
  reached: LogCheckpoint | undefined;
  waiting: StoredEvent[];
};

/** Begins again at the saved checkpoint where it is not the one that this process saved. */
async function progressOf(
  db: Kysely<WebhooksDatabase>,
  previous: Progress | undefined,
): Promise<Progress> {
  const reached = await loadReconciled(db);
  const saved = reached?.position;
  return previous && previous.saved === saved ? previous : { saved, reached, waiting: [] };
}

type CheckContext = {
  readSubscriptions: ReadSubscriptions;
  postedInTime: ReturnType<typeof createPostedInTime>;
};

/** One pass: from the last reached position to the newest event that is old enough. */
async function reconcile(
  options: ReconcileOptions,
  { ports, progress, signal }: { ports: CheckContext; progress: Progress; signal: AbortSignal },
): Promise<void> {
  const { store, db, guard, everyMs = defaultEveryMs, minAgeMs = defaultMinAgeMs } = options;
  await guard.verify('webhooks.reconcile', store, progress.reached);
  const until = Date.now() - minAgeMs;
  const pace = createPace({ until, everyMs, speed: unhurriedSpeed });
  const again = await repair(options, ports, await missing(db, ports, progress.waiting));
  progress.waiting = again.waiting;
  let repairedAgain = again.repaired;
  for await (const batch of store.subscribe({
    ...(progress.reached && { after: progress.reached.position }),
    filter: { streamPrefixes: relayedStreams, exceptTypes: typesWithoutWebhook },
    maxBatch,
    signal,
  })) {
    const { items, ended } = oldEnough(batch, until);
    const events = items.flatMap((item) => (item.kind === 'event' ? item.event : []));
    const candidates = events.filter(mayRequireWebhook);
    const { waiting, ...more } = await repair(options, ports, await missing(db, ports, candidates));
    const repaired = more.repaired + repairedAgain;
    repairedAgain = 0;
    if (progress.waiting.length + waiting.length > maxWaiting)
      throw new Error('too many webhooks wait to be reconciled');
    progress.waiting.push(...waiting);
    progress.reached = checkpointAfter(items) ?? progress.reached;
    if (progress.reached && progress.waiting.length === 0) {
      await saveReconciled(db, progress.reached);
      progress.saved = progress.reached.position;
    }
    const newest = events.at(-1)?.created.getTime() ?? until;
    options.onReconciled?.({
      events: candidates.length,
      repaired,
      lagMs: Math.max(0, until - newest),
    });
    if (ended) return;
    if (repaired === 0) await delay(pace.restMs(events), undefined, { signal });
  }
}

/** A batch's items before the first event that is too young, and whether the pass ends here. */
function oldEnough(batch: readonly LogItem[], until: number) {
  const end = batch.findIndex(
    (item) =>
      item.kind === 'caught_up' || (item.kind === 'event' && item.event.created.getTime() > until),
  );
  return { items: end === -1 ? batch : batch.slice(0, end), ended: end !== -1 };
}

async function missing(
  db: Kysely<WebhooksDatabase>,
  { readSubscriptions }: CheckContext,
  events: readonly StoredEvent[],
): Promise<StoredEvent[]> {
  if (events.length === 0) return [];
  const ids = events.map(({ id }) => id);
  const { rows } = await sql<Recorded>`
    select message_id as event_id, shop_id, endpoint_id, type from webhooks.message
    where message_id = any(${ids}::text[])
    union all
    select event_id, shop_id, endpoint_id, type from webhooks.message
    where event_id = any(${ids}::text[])`.execute(db);
  const byEvent = Map.groupBy(rows, (row) => row.event_id);
  const byShop = new Map<string, Subscriptions>();
  // Where a shop can't be read, its events count as missing, so that they wait and are read again.
  for (const shopId of new Set(rows.map((row) => row.shop_id))) {
    const subscriptions = await readSubscriptions(shopId).catch(() => undefined);
    if (subscriptions) byShop.set(shopId, subscriptions);
  }
  return events.filter(({ id, position }) => {
    const recorded = byEvent.get(id) ?? [];
    const [first] = recorded;
    if (!first) return true;
    const reached = new Set(recorded.map((row) => row.endpoint_id));
    const endpoints = byShop.get(first.shop_id)?.endpointsOf({ position, type: first.type });
    return !endpoints || endpoints.some((endpointId) => !reached.has(endpointId));
  });
}

type Recorded = { event_id: string; shop_id: string; endpoint_id: string; type: string };

/**
 * Records missing webhooks of events; returns how many there were, and the events that wait: for
 * the entries of their ends, or because they can't be read, which must not stop other shops.
 */
async function repair(
  { store, db, logger }: ReconcileOptions,
  ports: CheckContext,
  events: readonly StoredEvent[],
): Promise<{ repaired: number; waiting: StoredEvent[] }> {
  let repaired = 0;
  const waiting: StoredEvent[] = [];
  for (let from = 0; from < events.length; from += readsAtOnce) {
    const some = events.slice(from, from + readsAtOnce);
    const checks = some.map(async (event) => {
      try {
        return await expectedAt(store, ports, event);
      } catch (error) {
        const { stream, revision } = event;
        logger.warn({ err: error, stream, revision }, 'a webhook could not be reconciled');
        waiting.push(event);
        return undefined;
      }
    });
    const lost = (await Promise.all(checks)).flatMap((each) => each ?? []);
    const posted = await ports.postedInTime(lost);
    await Promise.all(
      lost.map(async ({ event, messages }, at) => {
        if (!posted[at]) {
          waiting.push(event);
          return;
        }
        const { size: recorded } = await recordMessages(db, messages);
        const { stream, revision } = event;
        if (recorded > 0)
          logger.error({ stream, revision }, 'a webhook was missing, and is recorded now');
        repaired += recorded;
      }),
    );
  }
  return { repaired, waiting };
}

/** The operation at an event, and all messages up to it; undefined if the event has none. */
async function expectedAt(
  store: EventStore,
  { readSubscriptions }: CheckContext,
  event: StoredEvent,
) {
  const { stream, revision, id } = event;
  const read = await readMessageSource(store, { stream, revision });
  if (!read) throw new Error(`${stream} can't be read up to ${revision}`);
  const { events } = read;
  const { operation, messages: all } = messagesOf(read);
  const shopId = all[0]?.message.shopId;
  if (shopId === undefined) return undefined;
  const subscriptions = await readSubscriptions(shopId);
  const messages: NewMessage[] = all.flatMap((each) => forEndpoints(each, subscriptions));
  return messages.some(({ messageId, eventId = messageId }) => eventId === id)
    ? { event, operation, events, messages }
    : undefined;
}
