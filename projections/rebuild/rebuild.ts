import { sql, type Kysely, type Transaction } from 'kysely';
import {
  findCheckpoint,
  type EventStore,
  type LogCheckpoint,
} from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { Progress } from '#shared/platform/progress.ts';
import { liveSchema, type ReadModel } from '../read-model.ts';
import {
  readCheckpoint,
  type ProjectionCheckpoint,
  type ProjectionTarget,
} from '../runner/checkpoint.ts';
import { makeEmpty, prepareTables } from '../runner/prepare.ts';
import { createIndexes, dropTables } from '../runner/tables.ts';
import { compareTables, type RowComparison } from './compare.ts';
import { replay } from './replay.ts';
import { swapTables } from './swap.ts';
import type { SqlView } from '../views/view.ts';

export type RebuildOptions = {
  db: Kysely<unknown>;
  store: EventStore;
  model: ReadModel;
  logger: Logger;
  /** False: build, compare, and drop the new tables. */
  swap?: boolean;
  /** The default: all registered ones. */
  views?: readonly SqlView[];
  onProgress?(progress: Progress): void;
};

export type RebuildReport = {
  projection: string;
  /** How many events the new tables have. */
  events: number;
  position: bigint | undefined;
  /**
   * How the live tables differed at the same position; undefined if there was nothing to compare.
   */
  comparison: RowComparison | undefined;
  swapped: boolean;
};

/** Rounds of replay while the live worker continues; later events are replayed while it waits. */
const maxRounds = 5;
/** Indexing and comparing large tables takes a while. */
const longestStatementMs = 3_600_000;

/**
 * Rebuilds a read model's tables next to the live ones, compares the two at the same position, and
 * swaps in the new ones (unless `swap` is false). Readers use the old tables meanwhile. The live
 * worker continues, and only waits during the comparison and the swap. One rebuild of a read model
 * runs at a time.
 * @throws UnappliableEvent for an event that this version can't apply; the live tables then stay as
 *   they are
 */
export async function rebuild(options: RebuildOptions): Promise<RebuildReport> {
  const { db, model } = options;
  const live: ProjectionTarget = { model, schema: liveSchema };
  const shadow: ProjectionTarget = {
    model,
    schema: options.swap === false ? 'gateway_compare' : 'gateway_rebuild',
  };
  return db.connection().execute(async (session) => {
    const lock = `projections: ${shadow.schema}.${model.name}`;
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(hashtextextended(${lock}, 0)) as locked`.execute(session);
    if (rows[0]?.locked !== true)
      throw new Error(`another process is already building ${model.name}`);
    try {
      await sql`set statement_timeout = ${sql.lit(longestStatementMs)}`.execute(session);
      await prepareTables(session, live, options);
      await session.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended('projections: prepare', 0))`.execute(
          tx,
        );
        await sql`create schema if not exists ${sql.id(shadow.schema)}`.execute(tx);
        await makeEmpty(tx, shadow);
      });
      await catchUp(options, { session, live, shadow });
      await createIndexes(session, model, shadow.schema);
      await sql`analyze ${sql.join(model.tables.map(({ name }) => sql.id(shadow.schema, name)))}`.execute(
        session,
      );
      return await db.transaction().execute((tx) => finish(options, { tx, session, live, shadow }));
    } finally {
      // A lost connection has released its lock too.
      await session
        .transaction()
        .execute((tx) => discard(tx, shadow))
        .catch(() => undefined);
      await sql`reset statement_timeout`.execute(session).catch(() => undefined);
      await sql`select pg_advisory_unlock_all()`.execute(session).catch(() => undefined);
    }
  });
}

/** Replays until it is almost where the live tables are. */
async function catchUp(
  { store, onProgress }: RebuildOptions,
  {
    session,
    live,
    shadow,
  }: { session: Kysely<unknown>; live: ProjectionTarget; shadow: ProjectionTarget },
): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const until = (await goal(store, await readCheckpoint(session, live)))?.position;
    const reached = (await readCheckpoint(session, shadow))?.at?.position;
    if (round > 0 && (until === undefined || (reached !== undefined && reached >= until))) return;
    await replay({
      db: session,
      store,
      target: shadow,
      ...(until !== undefined && { until }),
      ...(onProgress && { onProgress }),
    });
  }
}

/**
 * With the live checkpoint locked by `tx`: replays the log from there up to it, compares and
 * swaps.
 */
async function finish(
  { store, swap = true, logger, views }: RebuildOptions,
  {
    tx,
    session,
    live,
    shadow,
  }: {
    tx: Transaction<unknown>;
    session: Kysely<unknown>;
    live: ProjectionTarget;
    shadow: ProjectionTarget;
  },
): Promise<RebuildReport> {
  const { model } = live;
  await sql`set local statement_timeout = ${sql.lit(longestStatementMs)}`.execute(tx);
  // Readers queue behind a waiting lock, so don't wait long.
  await sql`set local lock_timeout = '15s'`.execute(tx);
  const checkpoint = await readCheckpoint(tx, live, true);
  const until = await goal(store, checkpoint);
  if (until) await replay({ db: session, store, target: shadow, until: until.position });
  const rebuilt = await readCheckpoint(tx, shadow);
  const comparable =
    until !== undefined &&
    (rebuilt?.at?.position ?? 0n) <= until.position &&
    checkpoint?.version === model.version;
  if (comparable && checkpoint.last?.id !== rebuilt?.last?.id) {
    throw new Error(
      `the log did not give ${model.name} the events that the live tables were made from`,
    );
  }
  const comparison = comparable
    ? await compareTables(tx, model, { live: live.schema, rebuilt: shadow.schema })
    : undefined;
  const { rows } = await sql<{ events: string }>`
    select events from projections.status where schema = ${shadow.schema} and name = ${model.name}`.execute(
    tx,
  );
  // The live checkpoint may be beyond the last event; the live worker must find it unchanged.
  const reached = [rebuilt?.at, until].reduce(later);
  if (swap) {
    const places = { from: shadow.schema, into: live.schema };
    await swapTables(tx, model, {
      ...places,
      checkpoint: reached,
      logger,
      ...(views && { views }),
    });
  }
  return {
    projection: model.name,
    events: Number(rows[0]?.events ?? 0),
    position: reached?.position,
    comparison,
    swapped: swap,
  };
}

const later = (left: LogCheckpoint | undefined, right: LogCheckpoint | undefined) =>
  !left || (right && right.position > left.position) ? right : left;

/**
 * The live tables' checkpoint, if it is known that they were made from this log; else there is
 * nothing to compare with.
 */
async function goal(
  store: EventStore,
  checkpoint: ProjectionCheckpoint | undefined,
): Promise<LogCheckpoint | undefined> {
  const at = checkpoint?.at;
  return at?.event && (await findCheckpoint(store, at)) === 'in_log' ? at : undefined;
}

async function discard(
  tx: Transaction<unknown>,
  { model, schema }: ProjectionTarget,
): Promise<void> {
  await dropTables(tx, model.tables, schema);
  await sql`delete from projections.status where schema = ${schema} and name = ${model.name}`.execute(
    tx,
  );
}
