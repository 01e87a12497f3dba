import { setTimeout as delay } from 'node:timers/promises';
import { follow, type LogItem } from '#shared/platform/event-store/index.ts';
import { startWorker, type WorkerOptions } from '../worker.ts';
import { DueQueue, type DueRow } from './due-queue.ts';
import type { DueStore, LeadSession } from './due-store.ts';
import { createRhythms } from './next-look.ts';
import { streamPrefixes } from './streams.ts';

export type LeadOptions = Omit<WorkerOptions, 'queue' | 'mayLook'> & {
  due: DueStore;
  /** The queue of this process while it leads, for its figures. */
  onLead(queue: DueQueue | undefined): void;
  /** How often what is due is kept for the next leader. */
  keepEveryMs: number;
  /** What else the leader does, until the signal. */
  beside(signal: AbortSignal): Promise<void>;
};

const standbyMs = 500;

/** Does what is due while no other process does; the others stand by. Returns after the signal. */
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
 * Follows the log from where it was kept, and looks at what is due. A leader that dies has kept its work some seconds ago:
 * the next one reads those again, and what was done meanwhile is found done.
 */
async function lead(session: LeadSession, options: LeadOptions): Promise<void> {
  const { store, providers, timings, logger } = options;
  const plan = { timings, rhythms: createRhythms(providers, timings) };
  const kept = await session.load();
  const queue = new DueQueue(kept.rows.map((row) => wokenUp(row, options)));
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, session.lost, ended.signal]);
  const read: Progress = { keptAt: kept.position, position: kept.position, caughtUp: false };
  const worker = startWorker({ ...options, signal, queue, mayLook: () => read.caughtUp });
  const keeping = keepOn(session, { queue, read, everyMs: options.keepEveryMs, signal });
  // Without its lock it may not go on; what failed is told by whoever keeps.
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
        // What the log says further on spares looks at what was done long ago.
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

/** Whatever waits for a provider goes on at once where that is configured by now. */
function wokenUp(row: DueRow, { providers, now }: LeadOptions): DueRow {
  const { waitsFor, ...rest } = row;
  return waitsFor !== undefined && providers.has(waitsFor) ? { ...rest, dueMs: now() } : row;
}

/** How far the log was read, and how far of that is kept. */
type Progress = { keptAt: bigint | undefined; position: bigint | undefined; caughtUp: boolean };

/** Keeps what has changed now and then, and once more at the end. @throws when the lead is lost */
async function keepOn(
  session: LeadSession,
  { queue, read, everyMs, signal }: { queue: DueQueue; read: Progress; everyMs: number; signal: AbortSignal },
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
