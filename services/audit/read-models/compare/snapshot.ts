import { sql, type Kysely, type Transaction } from 'kysely';
import { modelNames } from '../rows/limits.ts';
import type { ModelName } from '../rows/tables.ts';

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

/**
 * The state of the read models; without those that were never built.
 * @throws when the database does not answer
 */
export async function readStatuses<DB>(db: Kysely<DB>): Promise<ModelStatuses> {
  const { rows: there } = await sql<{ there: boolean }>`
    select to_regclass('projections.status') is not null as there`.execute(db);
  if (there[0]?.there !== true) return {};
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
