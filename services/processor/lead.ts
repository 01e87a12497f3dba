import { setTimeout as delay } from 'node:timers/promises';
import { follow, type LogItem } from '#shared/platform/event-store/index.ts';
import { startWorker, type WorkerOptions } from './worker.ts';
import { DueQueue, type DueRow } from './due/due-queue.ts';
import type { DueStore, LeadSession } from './due/due-store.ts';
import { createRhythms } from './due/timings.ts';
import { streamPrefixes } from './due/streams.ts';

type LeadOptions = Omit<WorkerOptions, 'queue' | 'isCaughtUp'> & {
  due: DueStore;
  /** Called with the queue while this process leads, for metrics. */
  onLead(queue: DueQueue | undefined): void;
  /** How often due work is saved for the next leader. */
  keepEveryMs: number;
  /** Other work of the leader; runs until the signal. */
  beside(signal: AbortSignal): Promise<void>;
};

const standbyMs = 500;

/** Leads while no other process does, and stands by otherwise. Returns after the signal. */
export async function leadOrStandBy(options: LeadOptions): Promise<void> {
  const { due, logger, signal } = options;
  while (!signal.aborted) {
    try {
      await due.whileLeading((session) => lead(session, options));
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, 'the processor lost its lead');
    }
    await delay(standbyMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Follows the log from the saved position, and works on what is due. After a crash the saved work
 * is some seconds old: the next leader reads the log since then, and finds out what is already
 * done.
 */
async function lead(session: LeadSession, options: LeadOptions): Promise<void> {
  const { store, providers, timings, logger } = options;
  const plan = { timings, rhythms: createRhythms(providers, timings) };
  const kept = await session.load();
  const queue = new DueQueue(kept.rows.map((row) => wokenUp(row, options)));
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, session.lost, ended.signal]);
  const read: Progress = { keptAt: kept.position, position: kept.position, caughtUp: false };
  const worker = startWorker({ ...options, signal, queue, isCaughtUp: () => read.caughtUp });
  const keeping = keepOn(session, { queue, read, everyMs: options.keepEveryMs, signal });
  // Without its lock it may not go on. The error is reported where `keeping` is awaited.
  keeping.catch(() => ended.abort());
  options.onLead(queue);
  const beside = options.beside(signal);
  try {
    await follow({
      store,
      filter: { streamPrefixes },
      checkpoint: async () => read.position,
      handle: async (batch) => {
        queue.take(batch, plan);
        read.position = endOf(batch) ?? read.position;
        // Later events show what was done long ago, so no work starts before the end of the log is
        // reached.
        read.caughtUp ||= batch.some(({ kind }) => kind === 'caught_up');
        worker.wake();
      },
      onError: (error) => logger.warn({ err: error }, 'the feed is interrupted'),
      signal,
    });
  } finally {
    options.onLead(undefined);
    await worker.stopped;
    await beside;
    await keeping;
  }
}

/** A stream that waits for a provider is due at once if the provider is configured now. */
function wokenUp(row: DueRow, { providers, now }: LeadOptions): DueRow {
  const { waitsFor, ...rest } = row;
  return waitsFor !== undefined && providers.has(waitsFor) ? { ...rest, dueMs: now() } : row;
}

/** How far the log was read, and how far of that is saved. */
type Progress = { keptAt: bigint | undefined; position: bigint | undefined; caughtUp: boolean };

/** Saves changes from time to time, and once more at the end. @throws when the lead is lost */
async function keepOn(
  session: LeadSession,
  {
    queue,
    read,
    everyMs,
    signal,
  }: { queue: DueQueue; read: Progress; everyMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
    if (session.lost.aborted) return;
    const { position: to } = read;
    if (to === undefined) continue;
    const { changed, gone } = queue.takeChanges();
    if (to === read.keptAt && changed.length + gone.length === 0) continue;
    await session.keep({ from: read.keptAt, to, changed, gone });
    read.keptAt = to;
  }
}

function endOf(batch: readonly LogItem[]): bigint | undefined {
  const last = batch.findLast((item) => item.kind !== 'caught_up');
  if (!last) return undefined;
  return last.kind === 'event' ? last.event.position : last.position;
}
