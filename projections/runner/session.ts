import type { Kysely } from 'kysely';
import { releaseSessionLocks, speakEveryMs, trySessionLock } from '#shared/platform/database/session-lock.ts';
import {
  follow,
  type EventStore,
  type LogItem,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { applyEvents } from './apply.ts';
import { isSameLog, moveCheckpoint, readCheckpoint, type Target } from './checkpoint.ts';
import { prepareTables } from './prepare.ts';
import type { WorkerStatus } from './worker-status.ts';

export type SessionOptions = {
  store: EventStore;
  target: Target;
  session: Kysely<unknown>;
  status: WorkerStatus;
  log: Logger;
  rebuild(): Promise<void>;
  maxBatch?: number;
  exclusive?: boolean;
  heartbeatEveryMs?: number;
  signal: AbortSignal;
};

/**
 * Each batch is a transaction, and what an operation goes through within one is one row written. So a read model may take
 * two percent of a processor, and is at most a second behind for it; a lone event is written at once.
 */
const rest = { times: 50, longestMs: 1_000 };
/** A checkpoint that moves without an event is worth no more than one write in this time. */
const idleMoveEveryMs = 1_000;

/** The log can't be the one that the tables were made from. */
export class OtherLog extends Error {
  constructor() {
    super(
      'the log does not hold the event that was applied last: it is another log, or an older copy; rebuild',
    );
    this.name = 'OtherLog';
  }
}

/**
 * One stretch of work on one connection to the database, which holds the lock and writes everything.
 * @throws whatever ends it: UnappliableEvent, OtherLog, CheckpointMoved, or that the connection is lost
 */
export async function workSession(options: SessionOptions): Promise<'standby' | 'done'> {
  const { store, target, session, status, log, signal, exclusive = true, maxBatch = 2_000 } = options;
  const lock = `projections: ${target.schema}.${target.model.name}`;
  // While two versions run side by side the newer one has the tables, and the older one leaves them alone.
  const found = await readCheckpoint(session, target);
  if (found && found.version > target.model.version) {
    if (status.state !== 'standby') {
      const versions = { tables: found.version, worker: target.model.version };
      log.info(versions, 'the tables belong to a newer version: to use this one, rebuild them with it');
    }
    status.move('standby', found.position);
    return 'standby';
  }
  if (exclusive && !(await trySessionLock(session, lock))) {
    status.move('standby', (await readCheckpoint(session, target))?.position);
    return 'standby';
  }
  // Whatever fails ends this stretch, so that the next one begins with a connection that works.
  const ended = new AbortController();
  const end = (error: unknown) => ended.abort(error);
  const onStop = () => end(undefined);
  signal.addEventListener('abort', onStop);
  // One connection, one statement at a time: heartbeats wait for batches and batches for heartbeats.
  const oneAtATime = createQueue();
  let position: bigint | undefined;
  let seen: bigint | undefined;
  let idleMoveAt = 0;

  const checkpoint = () =>
    oneAtATime(async () => {
      const current = await readCheckpoint(session, target);
      if (!current) throw new Error(`there is no checkpoint of ${target.model.name}`);
      if (!(await isSameLog(store, current))) {
        throw new OtherLog();
      }
      position = current.position;
      status.move('catching_up', position);
      return position;
    });
  const moveIdle = async () => {
    if (seen === undefined || (position !== undefined && seen <= position)) return;
    await moveCheckpoint(session, target, { from: position, to: seen, events: [] });
    position = seen;
    status.applied(position, 0);
    idleMoveAt = performance.now();
  };
  const handle = (items: LogItem[]) =>
    oneAtATime(async () => {
      const events: StoredEvent[] = [];
      let to = seen;
      for (const item of items) {
        if (item.kind === 'caught_up') continue;
        const at = item.kind === 'event' ? item.event.position : item.position;
        if (position !== undefined && at <= position) continue;
        if (item.kind === 'event') events.push(item.event);
        to = at;
      }
      if (events.length > 0 && to !== undefined) {
        await applyEvents(session, target, {
          from: position,
          events,
          to,
          onMoved: (moved, count) => {
            position = moved;
            status.applied(moved, count);
          },
        });
      }
      // Only now: a heartbeat may move the checkpoint there.
      seen = to;
      if (events.length === 0 && performance.now() - idleMoveAt > idleMoveEveryMs) await moveIdle();
      if (!items.some((item) => item.kind === 'caught_up')) return;
      status.move('live', position);
      await status.write(session);
    });
  const heartbeat = setInterval(() => {
    void oneAtATime(async () => {
      await moveIdle();
      await status.write(session);
    }).catch(end);
  }, options.heartbeatEveryMs ?? speakEveryMs);

  try {
    if ((await prepareTables(session, target, { logger: log })) === 'outdated') {
      status.move('rebuilding', undefined);
      await status.write(session);
      await options.rebuild();
    }
    await follow({
      store,
      filter: { streamPrefixes: target.model.streamPrefixes },
      maxBatch,
      rest,
      checkpoint: () => checkpoint().catch(failWith(end)),
      handle: (items) => handle(items).catch(failWith(end)),
      onError: (error) => {
        if (ended.signal.aborted) return;
        status.trouble();
        log.warn({ err: error }, 'the projection lost the log: reconnecting');
      },
      signal: ended.signal,
    });
    if (ended.signal.reason instanceof Error && !signal.aborted) throw ended.signal.reason;
    return 'done';
  } finally {
    clearInterval(heartbeat);
    signal.removeEventListener('abort', onStop);
    await oneAtATime(() => releaseSessionLocks(session));
  }
}

const failWith = (end: (error: unknown) => void) => (error: unknown) => {
  end(error);
  throw error;
};

function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
