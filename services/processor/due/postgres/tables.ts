import { sql, type ColumnType, type Kysely } from 'kysely';
import type { Migrations } from '#shared/platform/database/migrate.ts';
import type { StoredIdentity } from '#shared/platform/event-store/index.ts';

/**
 * The streams that may have due work (operations and their late facts), as the leader saved them
 * some seconds ago. They are derived from the log: lost rows are derived again.
 */
type DueTable = {
  /** `operation-<operation_id>` or `late-<operation_id>`. */
  stream: string;
  due_at: Date;
  /** When the stream got its last event, or its provider last answered about it. */
  heard_at: Date;
  /** The newest revision seen of it; older events are ignored. */
  revision: number;
  /** Polls of the provider in a row that brought nothing new. */
  asks: number;
  /** Failures in a row. */
  tries: number;
  /**
   * Work that is done, and recorded outside of the stream: the keys of ledger entries, and
   * `overcharge`.
   */
  done: string[];
  last_error: string | null;
  /** The provider that the next step needs, if it is not configured. */
  waits_for: string | null;
};

/** The position read in the log, and its event; one row. */
type FeedTable = {
  name: string;
  position: string;
  event: ColumnType<StoredIdentity | null, string | null, string | null>;
};

export type ProcessorDatabase = { 'processor.due': DueTable; 'processor.feed': FeedTable };

export const processorMigrations: Migrations = {
  schema: 'processor',
  migrations: {
    '001-due': {
      up: async (db: Kysely<unknown>) => {
        await sql`
          create table processor.due (
            operation_id text primary key,
            due_at timestamptz not null,
            heard_at timestamptz not null,
            revision integer not null,
            asks integer not null default 0,
            tries integer not null default 0,
            lease_token uuid,
            lease_until timestamptz,
            last_error text
          )`.execute(db);
        await sql`create index due_by_time on processor.due (due_at)`.execute(db);
        await sql`create table processor.feed (name text primary key, position numeric not null)`.execute(
          db,
        );
        await sql`comment on table processor.due is 'Operations that may be owed a step, and when to look at them'`.execute(
          db,
        );
        await sql`comment on table processor.feed is 'How far the log was read into processor.due'`.execute(
          db,
        );
      },
    },
    // The log is read again: operations that ended long ago may owe entries that were not followed
    // before.
    '002-streams': {
      up: async (db: Kysely<unknown>) => {
        await sql`delete from processor.due`.execute(db);
        await sql`delete from processor.feed`.execute(db);
        await sql`alter table processor.due rename column operation_id to stream`.execute(db);
        await sql`alter table processor.due add column done text[] not null default '{}'`.execute(
          db,
        );
        await sql`alter table processor.feed add column caught_up boolean not null default false`.execute(
          db,
        );
        await sql`comment on table processor.due is 'Streams that may owe a step, and when to look at them'`.execute(
          db,
        );
        await sql`comment on column processor.due.done is 'What was owed and stands elsewhere: keys of ledger entries, and evidence'`.execute(
          db,
        );
      },
    },
    // Claims are in the memory of the leader only.
    '003-in-memory': {
      up: async (db: Kysely<unknown>) => {
        await sql`alter table processor.due drop column lease_token, drop column lease_until`.execute(
          db,
        );
        await sql`alter table processor.feed drop column caught_up`.execute(db);
        await sql`drop index processor.due_by_time`.execute(db);
        await sql`comment on table processor.due is
          'Streams that may owe a step, and when to look at them, as kept every few seconds'`.execute(
          db,
        );
      },
    },
    '004-waits-for': {
      up: async (db: Kysely<unknown>) => {
        await sql`alter table processor.due add column waits_for text`.execute(db);
        await sql`comment on column processor.due.waits_for is
          'The provider that is not configured, and without which it comes no further'`.execute(db);
      },
    },
    '005-checkpoint-event': {
      up: async (db: Kysely<unknown>) => {
        await sql`alter table processor.feed add column event jsonb`.execute(db);
        await sql`comment on column processor.feed.event is
          'The event at the position: without it there, the log is another one'`.execute(db);
      },
    },
  },
};
