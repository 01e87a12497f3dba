import { sql, type Kysely } from 'kysely';
import { migrate } from '#shared/platform/database/migrate.ts';

/**
 * A session, shared by all instances: found by the hash of its cookie, which alone opens what is
 * sealed.
 */
export type SessionTable = {
  session_hash: string;
  /**
   * The id of an issued token; of one that is configuration, `fixed:` and the name. Sessions are
   * counted by it.
   */
  token: string;
  /** Binds the session to the token's hash: a row that was not made from the token is not valid. */
  proof: Buffer;
  opened_at: Date;
  seen_at: Date;
  /** What the next page says of the action before it, sealed. */
  notice: Buffer | null;
};

/** The forms that a session has sent, by their one-time ids. */
export type SentTable = {
  session_hash: string;
  once: string;
  sent_at: Date;
  /** Where it led to; null while it is being done, or after a crash. */
  location: string | null;
};

/** The links to sign in with that were used, until they would be too old in any case. */
export type UsedLinkTable = { id: string; expires_at: Date };

export type ConsoleDatabase = {
  'console.session': SessionTable;
  'console.sent': SentTable;
  'console.used_link': UsedLinkTable;
};

const initial = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table console.session (
        session_hash text primary key,
        token text not null,
        proof bytea not null,
        opened_at timestamptz not null,
        seen_at timestamptz not null,
        notice bytea
      )`.execute(db);
    await sql`
      create table console.sent (
        session_hash text not null,
        once text not null,
        sent_at timestamptz not null,
        location text,
        primary key (session_hash, once)
      )`.execute(db);
    await sql`comment on table console.session is 'Who has signed in to the console, on any instance'`.execute(
      db,
    );
    await sql`comment on table console.sent is 'Forms of the console that were sent: each is done once'`.execute(
      db,
    );
  },
};

const usedLinks = {
  up: async (db: Kysely<unknown>) => {
    await sql`create table console.used_link (id text primary key, expires_at timestamptz not null)`.execute(
      db,
    );
    await sql`comment on table console.used_link is 'Links to sign in with that were used: each works once'`.execute(
      db,
    );
  },
};

/**
 * Brings the schema `console` up to date; for every instance of the admin service, at its start.
 */
export async function migrateConsole<DB>(db: Kysely<DB>): Promise<void> {
  await migrate(db, {
    schema: 'console',
    migrations: { '001-sessions': initial, '002-used-links': usedLinks },
  });
}
