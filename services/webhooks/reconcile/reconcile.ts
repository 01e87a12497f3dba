import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import {
  checkpointAfter,
  CheckpointNotInLog,
  refusedPauseMs,
  type CheckpointGuard,
  type LogCheckpoint,
  type LogItem,
} from '#shared/platform/event-store/index.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import type { Component } from '../component.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { createPostedInTime, type BuildOptions } from '../ingest/build-messages.ts';
import { createReadSubscriptions } from '../ingest/subscriptions.ts';
import {
  mayRequireWebhook,
  typesWithoutWebhook,
  relayedStreams,
} from '../relay/events-requiring-webhooks.ts';
import { loadReconciled, saveReconciled } from './checkpoint.ts';
import type { FirstUndelivered } from './may-arrive.ts';
import { createPace } from './pace.ts';
import { findMissing, repair, type MissingEvent, type RepairOptions } from './repair.ts';

type ReconcileOptions = Pick<BuildOptions, 'store' | 'logger' | 'entryPoster'> & {
  db: Kysely<WebhooksDatabase>;
  macKey?: LogKey | undefined;
  guard: Pick<CheckpointGuard, 'verify'>;
  everyMs?: number;
  undelivered: FirstUndelivered;
  /** Events younger than this may still be in the relay or the ingest. */
  minAgeMs?: number;
  /** How long the ingest may take to record a webhook once nothing hinders it. */
  patienceMs?: number;
  /** After each batch; `dueSince`: when what is checked next became old enough. */
  onReconciled?: (batch: { events: number; repaired: number; dueSince: number }) => void;
};

/** From the start of one pass to the start of the next. */
const defaultEveryMs = 30_000;
const defaultMinAgeMs = 60_000;
/** Twice the longest pause of the ingest. */
const defaultPatienceMs = 60_000;
const maxBatch = 500;
/** How many events may wait: for the entries of their ends, for the ingest, or to be read. */
const maxWaiting = 10_000;
/**
 * How many seconds of the log it reads in one second: it is not urgent, and merchants need the
 * store.
 */
const unhurriedSpeed = 1.3;

/**
 * Reads the log a second time, a minute later, and checks that every expected webhook is recorded.
 * It records a missing one, as the ingest would have done. It asks relay and stream only whether
 * they still have its event, so it finds everything that they or the ingest have lost.
 */
export function createReconciliation(options: ReconcileOptions): Component {
  const { logger, everyMs = defaultEveryMs, minAgeMs = defaultMinAgeMs } = options;
  const repairing: RepairOptions = {
    ...options,
    patienceMs: options.patienceMs ?? defaultPatienceMs,
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
          progress = await readProgress(options.db, progress);
          await reconcile({ ...options, everyMs, minAgeMs }, { repairing, progress, signal });
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
  waiting: MissingEvent[];
};

/** Begins again at the saved checkpoint where it is not the one that this process saved. */
async function readProgress(
  db: Kysely<WebhooksDatabase>,
  previous: Progress | undefined,
): Promise<Progress> {
  const reached = await loadReconciled(db);
  const saved = reached?.position;
  return previous && previous.saved === saved ? previous : { saved, reached, waiting: [] };
}

/** One pass: from the last reached position to the newest event that is old enough. */
async function reconcile(
  options: ReconcileOptions & { everyMs: number; minAgeMs: number },
  {
    repairing,
    progress,
    signal,
  }: { repairing: RepairOptions; progress: Progress; signal: AbortSignal },
): Promise<void> {
  const { store, db, guard, everyMs, minAgeMs, logger } = options;
  await guard.verify('webhooks.reconcile', store, progress.reached);
  const until = Date.now() - minAgeMs;
  const pace = createPace({ until, everyMs, speed: unhurriedSpeed });
  const again = await repair(repairing, await findMissing(repairing, progress.waiting));
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
    const candidates = events.filter(mayRequireWebhook).map((event) => ({ event }));
    const { waiting, ...more } = await repair(repairing, await findMissing(repairing, candidates));
    const repaired = more.repaired + repairedAgain;
    repairedAgain = 0;
    if (progress.waiting.length + waiting.length > maxWaiting) {
      logger.warn('too many webhooks wait to be reconciled: the next pass continues');
      return;
    }
    progress.waiting.push(...waiting);
    progress.reached = checkpointAfter(items) ?? progress.reached;
    if (progress.reached && progress.waiting.length === 0) {
      await saveReconciled(db, progress.reached);
      progress.saved = progress.reached.position;
    }
    const newest = events.at(-1)?.created.getTime() ?? until;
    const dueSince = (ended ? until : newest) + minAgeMs;
    options.onReconciled?.({ events: candidates.length, repaired, dueSince });
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
