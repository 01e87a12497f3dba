import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import {
  checkpointAfter,
  CheckpointNotInLog,
  refusedPauseMs,
  type CheckpointGuard,
  type LogItem,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Component } from '../component.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { postedInTime, type BuildOptions } from '../ingest/build-messages.ts';
import { messagesOwed } from '../message.ts';
import { createOwedSince, type OwedSince } from '../ingest/owed-since.ts';
import { recordMessages } from '../ingest/record.ts';
import { mayOweWebhook, neverOwing } from '../relay/owing-events.ts';
import { loadReconciled, saveReconciled } from './checkpoint.ts';
import { createPace } from './pace.ts';

type ReconcileOptions = Pick<BuildOptions, 'store' | 'logger' | 'booksFirst'> & {
  db: Kysely<WebhooksDatabase>;
  guard: Pick<CheckpointGuard, 'verify'>;
  everyMs?: number;
  /** Events younger than this may still be in the relay or the ingest. */
  minAgeMs?: number;
  onReconciled?: (seen: { events: number; repaired: number; lagMs: number }) => void;
};

/** From the start of one pass to the start of the next. */
const defaultEveryMs = 30_000;
const defaultMinAgeMs = 60_000;
const maxBatch = 500;
const readsAtOnce = 8;
/**
 * How many seconds of the log it reads in one second: it is not urgent, and merchants need the
 * store.
 */
const unhurriedSpeed = 1.3;

/**
 * Reads the log a second time, a minute later, and checks that every owed webhook is recorded. It
 * records a missing one, as the ingest would have done. It does not use the stream, so it finds
 * everything that relay or ingest have lost.
 */
export function createReconciliation(options: ReconcileOptions): Component {
  const { logger, everyMs = defaultEveryMs } = options;
  const owedSince = createOwedSince(options.store);
  let failing = false;
  return {
    name: 'reconcile',
    notReady: () => (failing ? 'the reconciliation does not reach its stores' : undefined),
    run: async (signal) => {
      while (!signal.aborted) {
        const startedAt = performance.now();
        let passEveryMs = everyMs;
        try {
          await reconcile(options, owedSince, signal);
          failing = false;
        } catch (error) {
          if (signal.aborted) return;
          failing = true;
          // The guard has reported that one.
          if (error instanceof CheckpointNotInLog) passEveryMs = Math.min(everyMs, refusedPauseMs);
          else logger.warn({ err: error }, 'webhooks could not be reconciled with the log');
        }
        const restMs = Math.max(0, startedAt + passEveryMs - performance.now());
        await delay(restMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** Goes from its checkpoint to the newest event that is old enough. */
async function reconcile(
  options: ReconcileOptions,
  owedSince: OwedSince,
  signal: AbortSignal,
): Promise<void> {
  const { store, db, guard, everyMs = defaultEveryMs, minAgeMs = defaultMinAgeMs } = options;
  const checkpoint = await loadReconciled(db);
  await guard.verify('webhooks.reconcile', store, checkpoint);
  const until = Date.now() - minAgeMs;
  const pace = createPace({ until, everyMs, speed: unhurriedSpeed });
  for await (const batch of store.subscribe({
    ...(checkpoint && { after: checkpoint.position }),
    filter: { streamPrefixes: ['operation-'], exceptTypes: neverOwing },
    maxBatch,
    signal,
  })) {
    const { items, ended } = oldEnough(batch, until);
    const events = items.flatMap((item) => (item.kind === 'event' ? item.event : []));
    const owing = events.filter(mayOweWebhook);
    const repaired = await repair(options, owedSince, await missing(db, owing));
    const reached = checkpointAfter(items);
    if (reached) await saveReconciled(db, reached);
    const newest = events.at(-1)?.created.getTime() ?? until;
    options.onReconciled?.({ events: owing.length, repaired, lagMs: Math.max(0, until - newest) });
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
  owing: readonly StoredEvent[],
): Promise<StoredEvent[]> {
  if (owing.length === 0) return [];
  const { rows } = await sql<{ message_id: string }>`
    select message_id from webhooks.message where message_id = any(${owing.map(({ id }) => id)}::text[])`.execute(
    db,
  );
  const known = new Set(rows.map(({ message_id }) => message_id));
  return owing.filter(({ id }) => !known.has(id));
}

/** Records missing webhooks of events; returns how many there were. */
async function repair(
  { store, db, logger, booksFirst }: ReconcileOptions,
  owedSince: OwedSince,
  events: readonly StoredEvent[],
): Promise<number> {
  let repaired = 0;
  for (let from = 0; from < events.length; from += readsAtOnce) {
    const counts = await Promise.all(
      events.slice(from, from + readsAtOnce).map(async ({ stream, revision, id }) => {
        const history = await store.read(stream, { maxCount: revision + 1 });
        const { operation, messages } = messagesOwed(history);
        const since = operation && (await owedSince(operation.shopId));
        if (!operation || since === undefined) return 0;
        const owed = messages
          .filter(({ position }) => since < position)
          .map(({ message }) => message);
        if (!owed.some(({ messageId }) => messageId === id)) return 0;
        const [posted] = await postedInTime([booksFirst.post(operation, history)]);
        if (!posted) throw new Error(`the entries of the end of ${stream} are not posted`);
        const { size: recorded } = await recordMessages(db, owed);
        if (recorded > 0)
          logger.error({ stream, revision }, 'a webhook was missing, and is recorded now');
        return recorded;
      }),
    );
    repaired += counts.reduce((total, count) => total + count, 0);
  }
  return repaired;
}
