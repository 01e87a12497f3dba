import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { LogItem, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Component } from '../component.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { untilPosted, type BuildOptions } from '../ingest/build-messages.ts';
import { messagesOwed } from '../ingest/message.ts';
import { createOwedSince, type OwedSince } from '../ingest/owed-since.ts';
import { recordMessages } from '../ingest/record.ts';
import { mayOweWebhook, neverOwing } from '../relay/owing-events.ts';
import { loadReconciled, saveReconciled } from './checkpoint.ts';
import { createPace } from './pace.ts';

export type ReconcileOptions = Pick<BuildOptions, 'store' | 'logger' | 'booksFirst'> & {
  db: Kysely<WebhooksDatabase>;
  everyMs?: number;
  /** Events younger than this are still on their way through the relay and the ingest. */
  minAgeMs?: number;
  onReconciled?: (seen: { events: number; repaired: number; lagMs: number }) => void;
};

/** From the start of one way through the log to that of the next. */
const defaultEveryMs = 30_000;
const defaultMinAgeMs = 60_000;
const maxBatch = 500;
const readsAtOnce = 8;
/** How many seconds of the log it goes through in one: a minute behind, nothing is urgent, and merchants wait for the store meanwhile. */
const unhurriedSpeed = 1.3;

/**
 * Reads the log a second time, a minute behind, and looks for every webhook that it owes. One that is missing is recorded
 * as the ingest would have done. It needs no stream: what the relay or the ingest lost, for whatever reason, it finds.
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
        try {
          await reconcile(options, owedSince, signal);
          failing = false;
        } catch (error) {
          if (signal.aborted) return;
          failing = true;
          logger.warn({ err: error }, 'webhooks could not be reconciled with the log');
        }
        const restMs = Math.max(0, startedAt + everyMs - performance.now());
        await delay(restMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** Goes from where it last stopped to the newest event that is old enough. */
async function reconcile(
  options: ReconcileOptions,
  owedSince: OwedSince,
  signal: AbortSignal,
): Promise<void> {
  const { store, db, everyMs = defaultEveryMs, minAgeMs = defaultMinAgeMs } = options;
  const after = await loadReconciled(db);
  const until = Date.now() - minAgeMs;
  const pace = createPace({ until, everyMs, speed: unhurriedSpeed });
  for await (const batch of store.subscribe({
    ...(after !== undefined && { after }),
    filter: { streamPrefixes: ['operation-'], exceptTypes: neverOwing },
    maxBatch,
    signal,
  })) {
    const { events, position, ended } = oldEnough(batch, until);
    const owing = events.filter(mayOweWebhook);
    const repaired = await repair(options, owedSince, await missing(db, owing));
    if (position !== undefined) await saveReconciled(db, position);
    const newest = events.at(-1)?.created.getTime() ?? until;
    options.onReconciled?.({ events: owing.length, repaired, lagMs: Math.max(0, until - newest) });
    if (ended) return;
    if (repaired === 0) await delay(pace.restMs(events), undefined, { signal });
  }
}

/** What of a batch is old enough, how far that is, and whether there is no more of it for now. */
function oldEnough(batch: readonly LogItem[], until: number) {
  const events: StoredEvent[] = [];
  let position: bigint | undefined;
  for (const item of batch) {
    if (item.kind === 'caught_up') return { events, position, ended: true };
    if (item.kind === 'event') {
      if (item.event.created.getTime() > until) return { events, position, ended: true };
      events.push(item.event);
      position = item.event.position;
    } else position = item.position;
  }
  return { events, position, ended: false };
}

async function missing(db: Kysely<WebhooksDatabase>, owing: readonly StoredEvent[]): Promise<StoredEvent[]> {
  if (owing.length === 0) return [];
  const { rows } = await sql<{ message_id: string }>`
    select message_id from webhooks.message where message_id = any(${owing.map(({ id }) => id)}::text[])`.execute(
    db,
  );
  const known = new Set(rows.map(({ message_id }) => message_id));
  return owing.filter(({ id }) => !known.has(id));
}

/** Records the webhooks of events that have none, where one is owed; says how many there were. */
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
        const owed = messages.filter(({ position }) => since < position).map(({ message }) => message);
        if (!owed.some(({ messageId }) => messageId === id)) return 0;
        await untilPosted([booksFirst.post(operation, history)]);
        const { size: recorded } = await recordMessages(db, owed);
        if (recorded > 0) logger.error({ stream, revision }, 'a webhook was missing, and is recorded now');
        return recorded;
      }),
    );
    repaired += counts.reduce((total, count) => total + count, 0);
  }
  return repaired;
}
