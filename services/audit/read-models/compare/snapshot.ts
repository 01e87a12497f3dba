import { sql, type Kysely, type Transaction } from 'kysely';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { modelNames, type ModelName } from '../rows/tables.ts';

/** The state of a read model in one snapshot of the database. */
type ModelStatus = {
  /** Everything in the log up to here is in its tables; 0 before the first event. */
  position: number;
  /** The newest event in its tables. */
  last?: { id: string; stream: string; revision: number };
  /** Why it has stopped, if it has. */
  stopped?: { stream: string; revision: number; reason: string };
  /** Its worker sent a heartbeat recently. */
  alive: boolean;
};

export type ModelStatuses = Partial<Record<ModelName, ModelStatus>>;

type Row = {
  name: string;
  position: string | null;
  event_id: string | null;
  event_stream: string | null;
  event_revision: number | null;
  state: string;
  failed_stream: string | null;
  failed_revision: number | null;
  failed_reason: string | null;
  alive: boolean | null;
};

export async function hasTable<DB>(db: Kysely<DB>, name: string): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${name}) is not null as there`.execute(db);
  return rows[0]?.there === true;
}

/**
 * The state of the read models; without those that were never built.
 * @throws when the database does not answer
 */
export async function readStatuses<DB>(db: Kysely<DB>): Promise<ModelStatuses> {
  if (!(await hasTable(db, 'projections.status'))) return {};
  const { rows } = await sql<Row>`
    select name, position, event_id, event_stream, event_revision,
      state, failed_stream, failed_revision, failed_reason,
      heartbeat_at > now() - interval '15 seconds' as alive
    from projections.status where schema = 'gateway'`.execute(db);
  const statuses: ModelStatuses = {};
  for (const row of rows) {
    const name = modelNames.find((each) => each === row.name);
    if (!name) continue;
    const { failed_stream: stream, failed_revision: revision, failed_reason: reason } = row;
    const { event_id: id, event_stream: lastStream, event_revision: lastRevision } = row;
    statuses[name] = {
      position: Number(row.position ?? 0),
      ...(id !== null &&
        lastStream !== null &&
        lastRevision !== null && { last: { id, stream: lastStream, revision: lastRevision } }),
      alive: row.alive === true,
      ...(row.state === 'stopped' && {
        stopped: {
          stream: stream ?? 'unknown',
          revision: revision ?? 0,
          reason: reason ?? 'unknown',
        },
      }),
    };
  }
  return statuses;
}

export type ComparePositions = Awaited<ReturnType<typeof fixPositions>>;

/**
 * Fixes the audit's position, and detects which read models are running. One without a worker is
 * compared at its position; running ones at their position once the log is read.
 */
export async function fixPositions<DB>(db: Kysely<DB>, log: RawLog) {
  const until = await log.head();
  const statuses = await readStatuses(db);
  const resting = modelNames.filter((name) => {
    const status = statuses[name];
    return status?.alive !== true || status.stopped !== undefined;
  });
  const limits: Partial<Record<ModelName, number>> = Object.fromEntries(
    resting.flatMap((name) => {
      const position = statuses[name]?.position ?? 0;
      return position < until ? [[name, position]] : [];
    }),
  );
  return {
    /** The position up to which the log is audited. */
    until,
    /** The positions at which stopped read models are compared. */
    limits,
    /** A worker is updating the read models now. */
    running: Object.values(statuses).some(({ alive }) => alive),
  };
}

/** Runs in one snapshot of the database, so that checkpoints and rows match. */
export function inSnapshot<DB, T>(
  db: Kysely<DB>,
  work: (tx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await sql`set local statement_timeout = '1h'`.execute(tx);
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      return work(tx);
    });
}
