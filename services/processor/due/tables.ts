import { sql, type Kysely } from 'kysely';
import type { Migrations } from '#shared/database/migrate.ts';

/** The operations that may be owed something. Derived from the log: what is lost is made again by reading it. */
export type DueTable = {
  operation_id: string;
  due_at: Date;
  /** When the operation last moved, or its provider last answered a question about it. */
  heard_at: Date;
  /** Newest revision that was seen of it: older news changes nothing. */
  revision: number;
  /** Questions in a row that brought nothing new. */
  asks: number;
  /** Failures in a row. */
  tries: number;
  lease_token: string | null;
  lease_until: Date | null;
  last_error: string | null;
};

/** How far the log was read; one row. */
export type FeedTable = { name: string; position: string };

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
        await sql`create table processor.feed (name text primary key, position numeric not null)`.execute(db);
        await sql`comment on table processor.due is 'Operations that may be owed a step, and when to look at them'`.execute(
          db,
        );
        await sql`comment on table processor.feed is 'How far the log was read into processor.due'`.execute(
          db,
        );
      },
    },
  },
};
