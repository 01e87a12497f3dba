import { sql, type Kysely } from 'kysely';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { liveSchema } from './read-model.ts';
import { readModels } from './registry.ts';
import { measureLag } from './runner/lag.ts';

/** One read model, as `GET /admin/v1/projections` shows it. */
export type ProjectionStatus = {
  name: string;
  /**
   * Everything in the log up to here is in the tables; a decimal string, null before the first
   * event.
   */
  position: string | null;
  /**
   * Events in the log that are not in the tables: exact up to 1,000; null if the event store can't
   * be read.
   */
  lag_events: number | null;
  /** How long the oldest of them has waited. */
  lag_ms: number | null;
  status: 'live' | 'catching_up' | 'rebuilding' | 'stopped' | 'not_running';
  /** If stopped: the event that can't be applied. */
  failed?: {
    event_id: string | null;
    stream: string | null;
    revision: number | null;
    reason: string;
  };
};

/** Workers send a heartbeat every 2 s. */
const heartbeatAllowedSeconds = 15;

type Row = {
  name: string;
  position: string | null;
  state: ProjectionStatus['status'];
  alive: boolean | null;
  failed_event_id: string | null;
  failed_stream: string | null;
  failed_revision: number | null;
  failed_reason: string | null;
};

/** The status of every read model, measured now. @throws when the database can't be queried */
export async function listProjections<DB>(
  db: Kysely<DB>,
  store: EventStore,
): Promise<ProjectionStatus[]> {
  const { rows } = await sql<Row>`
    select name, position, state, failed_event_id, failed_stream, failed_revision, failed_reason,
      heartbeat_at > now() - make_interval(secs => ${heartbeatAllowedSeconds}) as alive
    from projections.status where schema = ${liveSchema}`.execute(db);
  return Promise.all(
    readModels.map(async ({ name, streamPrefixes }): Promise<ProjectionStatus> => {
      const row = rows.find((candidate) => candidate.name === name);
      const position = row?.position == null ? undefined : BigInt(row.position);
      const lag = await measureLag(store, { position, streamPrefixes }).catch(() => undefined);
      const {
        failed_event_id: event_id,
        failed_stream: stream,
        failed_revision: revision,
      } = row ?? {};
      const reason = row?.failed_reason;
      return {
        name,
        position: row?.position ?? null,
        lag_events: lag?.lag_events ?? null,
        lag_ms: lag?.lag_ms ?? null,
        status: row === undefined ? 'not_running' : readStatus(row),
        ...(reason != null && {
          failed: {
            event_id: event_id ?? null,
            stream: stream ?? null,
            revision: revision ?? null,
            reason,
          },
        }),
      };
    }),
  );
}

/** A process that died cannot report it; but a recorded stop remains true. */
function readStatus({ state, alive }: Row): ProjectionStatus['status'] {
  return state === 'stopped' || alive === true ? state : 'not_running';
}
