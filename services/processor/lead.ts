import { setTimeout as delay } from 'node:timers/promises';
import {
  checkpointAfter,
  CheckpointNotInLog,
  follow,
  refusedPauseMs,
  type CheckpointGuard,
  type LogCheckpoint,
} from '#shared/platform/event-store/index.ts';
import { startProcessorWorker, type ProcessorWorkerOptions } from './worker.ts';
import { DueQueue, type DueRow } from './due/due-queue.ts';
import type { DueStore, StoredDueWork, LeadSession } from './due/due-store.ts';
import { workWithoutStore } from './without-store.ts';
import { createRhythms } from './due/timings.ts';
import { streamPrefixes } from './due/streams.ts';

type LeadOptions = Omit<ProcessorWorkerOptions, 'queue' | 'isCaughtUp'> & {
  due: DueStore;
  guard: Pick<CheckpointGuard, 'verify' | 'release'>;
  /** Called with the queue while this process leads, for metrics. */
  onLead(queue: DueQueue | undefined): void;
  /** Called when due work could not be saved, for metrics. */
  onSaveFailed(): void;
  /** How often due work is saved for the next leader. */
  saveEveryMs: number;
  /** How long `due` may fail until this process works without it. */
  outageMs: number;
  /** Other work of the leader, until the signal; not while the due store is unavailable. */
  whileLeading(signal: AbortSignal): Promise<void>;
};

const standbyMs = 500;
const follower = 'processor';

/**
 * Leads while no other process does, and is a standby otherwise. If the leader is unknown because
 * the due store is unavailable, this process works too: each step is safe in two processes at once.
 * Returns after the signal.
 */
export async function leadOrStandBy(options: LeadOptions): Promise<void> {
  const { due, guard, logger, signal } = options;
  const memory: Memory = { work: { checkpoint: undefined, rows: [] } };
  const without = workWithoutStore({
    ...options,
    work: (lost) =>
      lead(inMemory(memory, lost), { ...options, whileLeading: async () => undefined }, memory),
  });
  while (!signal.aborted) {
    let pauseMs = standbyMs;
    let led = false;
    try {
      await due.whileLeading(async (session) => {
        led = true;
        await without.end();
        await lead(session, options, memory);
      });
      await without.end();
      if (!led) guard.release(follower);
    } catch (error) {
      if (error instanceof CheckpointNotInLog) pauseMs = refusedPauseMs;
      else without.failed(error);
      if (led && !signal.aborted)
        logger.warn({ err: error }, 'the processor is no longer the leader');
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  await without.end();
}

/** The last due work of this process, for when it can't be loaded. */
type Memory = { work: StoredDueWork };

const inMemory = (memory: Memory, lost: AbortSignal): LeadSession => ({
  load: async () => memory.work,
  save: async () => undefined,
  lost,
});

/**
 * Follows the log from the saved position, and works on what is due. After a crash the saved work
 * is some seconds old: the next leader reads the log since then, and detects what is already
 * done.
 * @throws CheckpointNotInLog
 */
async function lead(session: LeadSession, options: LeadOptions, memory: Memory): Promise<void> {
  const { store, guard, providers, timings, logger } = options;
  const plan = { timings, rhythms: createRhythms(providers, timings) };
  const saved = await session.load();
  const queue = new DueQueue(saved.rows.map((row) => dueIfConfigured(row, options)));
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, session.lost, ended.signal]);
  const { checkpoint } = saved;
  const read: Progress = { savedAt: checkpoint?.position, checkpoint, caughtUp: false };
  const worker = startProcessorWorker({
    ...options,
    signal,
    queue,
    isCaughtUp: () => read.caughtUp,
  });
  const saving = saveRegularly(session, {
    ...options,
    queue,
    read,
    everyMs: options.saveEveryMs,
    signal,
  });
  // Without its lock it must stop. The error is reported where `saving` is awaited.
  saving.catch(() => ended.abort());
  options.onLead(queue);
  let companion: Promise<void> | undefined;
  let refused: CheckpointNotInLog | undefined;
  try {
    await follow({
      store,
      follower,
      guard,
      filter: { streamPrefixes },
      checkpoint: async () => read.checkpoint,
      handle: async (batch) => {
        // Not before the guard has found the checkpoint in this log.
        companion ??= options.whileLeading(signal);
        queue.take(batch, plan);
        read.checkpoint = checkpointAfter(batch) ?? read.checkpoint;
        // Later events may show that work is done, so none starts before the end of the log.
        read.caughtUp ||= batch.some(({ kind }) => kind === 'caught_up');
        worker.wake();
      },
      onError: (error) => logger.warn({ err: error }, 'the feed is interrupted'),
      // The next leader reads the saved checkpoint again.
      onRefused: (error) => {
        refused = error;
        ended.abort();
      },
      signal,
    });
  } finally {
    options.onLead(undefined);
    await worker.stopped;
    memory.work = { checkpoint: read.checkpoint, rows: queue.rows() };
    await companion;
    await saving;
  }
  if (refused) throw refused;
}

/** A stream that waits for a provider is due at once if the provider is configured now. */
function dueIfConfigured(row: DueRow, { providers, now }: LeadOptions): DueRow {
  const { waitsFor, ...rest } = row;
  return waitsFor !== undefined && providers.has(waitsFor) ? { ...rest, dueMs: now() } : row;
}

/** How far the log was read, and how far of that is saved. */
type Progress = {
  savedAt: bigint | undefined;
  checkpoint: LogCheckpoint | undefined;
  caughtUp: boolean;
};

type SaveOptions = Pick<LeadOptions, 'logger' | 'onSaveFailed'> & {
  queue: DueQueue;
  read: Progress;
  everyMs: number;
  signal: AbortSignal;
};

/**
 * Saves changes from time to time, and once more at the end. Changes that PostgreSQL refuses to
 * save are saved later: due work does not depend on it. @throws when the lead is lost
 */
async function saveRegularly(session: LeadSession, options: SaveOptions): Promise<void> {
  const { queue, read, everyMs, signal, logger, onSaveFailed } = options;
  while (!signal.aborted) {
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
    if (session.lost.aborted) return;
    const { checkpoint: to } = read;
    if (to === undefined) continue;
    const changes = queue.takeChanges();
    const { changed, removed } = changes;
    if (to.position === read.savedAt && changed.length + removed.length === 0) continue;
    try {
      await session.save({ from: read.savedAt, to, changed, removed });
    } catch (error) {
      if (session.lost.aborted) throw error;
      queue.putBack(changes);
      onSaveFailed();
      logger.warn({ err: error }, 'due work could not be saved, and is saved later');
      continue;
    }
    queue.markSaved(changes);
    read.savedAt = to.position;
  }
}
