import type { Kysely } from 'kysely';
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CheckpointNotInLog,
  refusedPauseMs,
  type CheckpointGuard,
  type EventStore,
} from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { UnappliableEvent } from '../read-model.ts';
import { CheckpointMoved, type ProjectionTarget } from './checkpoint.ts';
import { workSession } from './session.ts';
import { WorkerStatus } from './worker-status.ts';

export type ProjectionWorkerOptions = {
  db: Kysely<unknown>;
  store: EventStore;
  guard: Pick<CheckpointGuard, 'verify' | 'release'>;
  target: ProjectionTarget;
  logger: Logger;
  /** Rebuilds tables that were made by another version of the read model. */
  rebuild(): Promise<void>;
  maxBatch?: number;
  /**
   * If false, it works even if another worker does. Then only the checkpoint prevents conflicts.
   */
  exclusive?: boolean;
  heartbeatEveryMs?: number;
  /** How long it pauses after a batch. */
  batchPauseMs?: number;
  /** How long to wait before an event that could not be applied is retried. */
  stoppedPauseMs?: number;
};

export type Worker = {
  readonly target: ProjectionTarget;
  readonly status: WorkerStatus;
  stop(): Promise<void>;
};

const defaultStoppedPauseMs = 30_000;
const standbyPauseMs = 1_000;
const longestRetryPauseMs = 2_000;

/**
 * Keeps one read model up to date with the log until it is stopped, through restarts of the
 * database and the store.
 */
export function startProjectionWorker(options: ProjectionWorkerOptions): Worker {
  const { db, target, logger } = options;
  const status = new WorkerStatus(target);
  const stopped = new AbortController();
  const log = logger.child({ projection: target.model.name });

  const run = async (): Promise<void> => {
    let pauseMs = 0;
    while (!stopped.signal.aborted) {
      try {
        const outcome = await db
          .connection()
          .execute((session) =>
            workSession({ ...options, session, status, log, signal: stopped.signal }),
          );
        pauseMs = outcome === 'standby' ? standbyPauseMs : 0;
      } catch (error) {
        if (stopped.signal.aborted) break;
        pauseMs = await noteFailure(options, status, { error, pauseMs, log });
      }
      await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    await status.write(db, 'not_running').catch(() => undefined);
  };
  const running = run();
  return {
    target,
    status,
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

/** Notes a failure in the status. Returns how long to wait. */
async function noteFailure(
  { db, stoppedPauseMs = defaultStoppedPauseMs }: ProjectionWorkerOptions,
  status: WorkerStatus,
  { error, pauseMs, log }: { error: unknown; pauseMs: number; log: Logger },
): Promise<number> {
  if (error instanceof CheckpointMoved) {
    status.conflicts += 1;
    log.info(error.message);
    return randomInt(20, 200);
  }
  if (error instanceof UnappliableEvent || error instanceof CheckpointNotInLog) {
    const event = error instanceof UnappliableEvent ? error.event : undefined;
    const failure = {
      event_id: event?.id,
      stream: event?.stream,
      revision: event?.revision,
      reason: error.message,
    };
    if (status.fail(failure) && event)
      log.error(failure, 'the projection stopped: an event can’t be applied');
    await status.write(db).catch(() => undefined);
    // An operator may bring it back to the log at any time.
    return event ? stoppedPauseMs : Math.min(stoppedPauseMs, refusedPauseMs);
  }
  status.trouble();
  log.warn({ err: error }, 'the projection lost its database or the log: retrying');
  return Math.min(Math.max(pauseMs * 2, 100), longestRetryPauseMs);
}
