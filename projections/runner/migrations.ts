import { sql } from 'kysely';
import type { Migrations } from '#shared/platform/database/migrate.ts';

/**
 * The runner's own tables. The read models' tables are made from their definitions, see
 * `tables.ts`.
 */
export const runnerMigrations: Migrations = {
  schema: 'projections',
  migrations: {
    '001-status': {
      up: async (db) => {
        await sql`
          create table projections.status (
            schema text not null,
            name text not null,
            version integer not null,
            position bigint,
            event_id text,
            event_stream text,
            event_revision integer,
            events bigint not null default 0,
            state text not null default 'not_running',
            failed_event_id text,
            failed_stream text,
            failed_revision integer,
            failed_reason text,
            worker text,
            heartbeat_at timestamptz,
            primary key (schema, name)
          )`.execute(db);
        const comments = {
          position:
            'Everything in the log up to here is in the tables; moved in the transaction that writes them',
          event_id: 'The last event applied, by which a log is known again after a restart',
          events: 'Events applied since the tables were made',
          state: 'catching_up, live, stopped (see failed_*), rebuilding or not_running',
          failed_event_id:
            'The event that could not be applied: nothing after it is, until it can be',
          heartbeat_at: 'When the worker last reported it; it does so every few seconds',
        };
        for (const [column, comment] of Object.entries(comments)) {
          await sql`comment on column ${sql.id('projections', 'status', column)} is ${sql.lit(comment)}`.execute(
            db,
          );
        }
      },
    },
    '002-views': {
      up: async (db) => {
        await sql`
          create table projections.views (
            name text primary key,
            definition text not null,
            made_at timestamptz not null default now()
          )`.execute(db);
        await sql`comment on column projections.views.definition is
          'SHA-256 of the text that the view was made from: another one makes it anew'`.execute(db);
      },
    },
    // Receipts used to be a read model of their own; their tables are now part of the operations.
    '003-receipts': {
      up: async (db) => {
        await sql`delete from projections.status where name = 'receipts'`.execute(db);
      },
    },
    '004-checkpoint-event': {
      up: async (db) => {
        await sql`alter table projections.status add column position_event jsonb`.execute(db);
        await sql`comment on column projections.status.position_event is
          'The event at the position: without it there, the log is another one'`.execute(db);
      },
    },
  },
};
