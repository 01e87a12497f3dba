import type { Kysely } from 'kysely';
import {
  releaseSessionLocks,
  speakEveryMs,
  trySessionLock,
} from '#shared/platform/database/session-lock.ts';
import {
  checkpointAfter,
  follow,
  type CheckpointGuard,
  type EventStore,
  type LogCheckpoint,
  type LogItem,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { applyEvents } from './apply.ts';
import { moveCheckpoint, readCheckpoint, type ProjectionTarget } from './checkpoint.ts';
import { prepareTables } from './prepare.ts';
import type { WorkerStatus } from './worker-status.ts';

type SessionOptions = {
  store: EventStore;
  guard: Pick<CheckpointGuard, 'verify' | 'release'>;
  target: ProjectionTarget;
  session: Kysely<unknown>;
  status: WorkerStatus;
  log: Logger;
  rebuild(): Promise<void>;
  maxBatch?: number;
  exclusive?: boolean;
  heartbeatEveryMs?: number;
  batchPauseMs?: number;
  signal: AbortSignal;
};

/**
 * Each batch is a transaction, and writes a row once, however many of its events are in the batch.
 * So a read model pauses between batches, and lags by a second at most. A lone event is written at
 * once.
 */
const pauseAfterBatchMs = 1_000;
/** A checkpoint that moves without an event is written at most once in this time. */
const idleMoveEveryMs = 1_000;

const followerName = ({ model }: ProjectionTarget) => `projections.${model.name}`;

/**
 * One session of work, on one database connection that holds the lock and writes everything.
 * @throws whatever ends it: UnappliableEvent, CheckpointNotInLog, CheckpointMoved, or a lost
 *   connection
 */
export async function workSession(options: SessionOptions): Promise<'standby' | 'done'> {
  if (!(await isOurs(options))) {
    options.guard.release(followerName(options.target));
    return 'standby';
  }
  await new Session(options).work();
  return 'done';
}

/** False: a newer version owns the tables, or another worker holds them. */
async function isOurs({
  target,
  session,
  status,
  log,
  exclusive = true,
}: SessionOptions): Promise<boolean> {
  const { name, version } = target.model;
  // While two versions run side by side, the newer one owns the tables.
  const stored = await readCheckpoint(session, target);
  if (stored && stored.version > version) {
    if (status.state !== 'standby') {
      const versions = { tables: stored.version, worker: version };
      log.info(
        versions,
        'the tables were written by a newer version: rebuild them to use this version',
      );
    }
    status.move('standby', stored.at?.position);
    return false;
  }
  if (!exclusive || (await trySessionLock(session, `projections: ${target.schema}.${name}`)))
    return true;
  status.move('standby', (await readCheckpoint(session, target))?.at?.position);
  return false;
}

class Session {
  readonly #options: SessionOptions;
  /** A failure of any part ends the session; the next one starts with a new connection. */
  readonly #ended = new AbortController();
  /**
   * One connection, one statement at a time: heartbeats wait for batches and batches for
   * heartbeats.
   */
  readonly #oneAtATime = createQueue();
  /** The checkpoint, as this session has moved it. */
  #position: bigint | undefined;
  /** How far this session has read the log. */
  #seen: LogCheckpoint | undefined;
  #idleMoveAt = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  async work(): Promise<void> {
    const { session, signal, heartbeatEveryMs = speakEveryMs } = this.#options;
    const onStop = () => this.#end(undefined);
    signal.addEventListener('abort', onStop);
    const heartbeat = setInterval(() => {
      this.#oneAtATime(() => this.#beat()).catch((error: unknown) => this.#end(error));
    }, heartbeatEveryMs);
    try {
      // A signal that was aborted while the lock was taken calls no listener any more.
      if (signal.aborted) return;
      await this.#prepare();
      await this.#follow();
      const ended = this.#ended.signal;
      if (ended.reason instanceof Error && !signal.aborted) throw ended.reason;
    } finally {
      clearInterval(heartbeat);
      signal.removeEventListener('abort', onStop);
      await this.#oneAtATime(() => releaseSessionLocks(session));
    }
  }

  #end(error: unknown): void {
    this.#ended.abort(error);
  }

  async #beat(): Promise<void> {
    await this.#moveIdle();
    await this.#options.status.write(this.#options.session);
    this.#options.status.heard();
  }

  async #prepare(): Promise<void> {
    const { session, target, log, status, rebuild } = this.#options;
    if ((await prepareTables(session, target, { logger: log })) !== 'outdated') return;
    status.move('rebuilding', undefined);
    await status.write(session);
    await rebuild();
  }

  #follow(): Promise<void> {
    const { store, guard, target, maxBatch = 2_000, status, log } = this.#options;
    const { batchPauseMs = pauseAfterBatchMs } = this.#options;
    const orEnd = (error: unknown): never => {
      this.#end(error);
      throw error;
    };
    return follow({
      store,
      guard,
      follower: followerName(target),
      filter: { streamPrefixes: target.model.streamPrefixes },
      maxBatch,
      pauseMs: batchPauseMs,
      checkpoint: () => this.#oneAtATime(() => this.#findCheckpoint()).catch(orEnd),
      handle: (items) => this.#oneAtATime(() => this.#handle(items)).catch(orEnd),
      onRefused: (error) => this.#end(error),
      onError: (error) => {
        if (this.#ended.signal.aborted) return;
        status.trouble();
        log.warn({ err: error }, 'the projection lost the log: reconnecting');
      },
      signal: this.#ended.signal,
    });
  }

  async #findCheckpoint(): Promise<LogCheckpoint | undefined> {
    const { target, session, status } = this.#options;
    const current = await readCheckpoint(session, target);
    if (!current) throw new Error(`there is no checkpoint of ${target.model.name}`);
    this.#position = current.at?.position;
    status.move('catching_up', this.#position);
    return current.at;
  }

  async #handle(items: readonly LogItem[]): Promise<void> {
    const { status, session } = this.#options;
    const { events, to } = this.#newIn(items);
    if (events.length > 0 && to !== undefined) await this.#apply(events, to);
    // Only after they are applied: a heartbeat may move the checkpoint there.
    this.#seen = to;
    if (events.length === 0 && performance.now() - this.#idleMoveAt > idleMoveEveryMs)
      await this.#moveIdle();
    if (!items.some((item) => item.kind === 'caught_up')) return;
    status.move('live', this.#position);
    await status.write(session);
  }

  /** The events after the checkpoint, and how far the log is read with them. */
  #newIn(items: readonly LogItem[]): {
    events: StoredEvent[];
    to: LogCheckpoint | undefined;
  } {
    const isNew = (position: bigint) => this.#position === undefined || position > this.#position;
    const events = items.flatMap((item) =>
      item.kind === 'event' && isNew(item.event.position) ? item.event : [],
    );
    const to = checkpointAfter(items);
    return { events, to: to && isNew(to.position) ? to : this.#seen };
  }

  async #apply(events: StoredEvent[], to: LogCheckpoint): Promise<void> {
    const { session, target, status } = this.#options;
    await applyEvents(session, target, {
      from: this.#position,
      events,
      to,
      onMoved: (moved, count) => {
        this.#position = moved.position;
        status.applied(moved.position, count);
      },
    });
  }

  /** Moves the checkpoint past a part of the log without events for this read model. */
  async #moveIdle(): Promise<void> {
    const { session, target, status } = this.#options;
    const [from, to] = [this.#position, this.#seen];
    if (to === undefined || (from !== undefined && to.position <= from)) return;
    await moveCheckpoint(session, target, { from, to, events: [] });
    this.#position = to.position;
    status.applied(to.position, 0);
    this.#idleMoveAt = performance.now();
  }
}

function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
