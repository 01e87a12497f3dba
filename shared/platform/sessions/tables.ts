import { sql, type Kysely } from 'kysely';

/**
 * A session, shared by all instances: found by the hash of its cookie, which alone decrypts its
 * notice.
 */
export type SessionTable = {
  session_hash: string;
  /** The holder, by whom sessions are counted. */
  token: string;
  /** Binds the session to the credential's hash, so that a forged row is not valid. */
  proof: Buffer;
  opened_at: Date;
  seen_at: Date;
  /** The notice of the next page, encrypted. */
  notice: Buffer | null;
};

/** The forms that a session has sent, by their one-time ids. */
export type SentTable = {
  session_hash: string;
  once: string;
  sent_at: Date;
  /** The path that it led to; null while it runs, or after a crash. */
  location: string | null;
};

/** The tables in a schema of the service's own. */
export type SessionDatabase = { session: SessionTable; sent: SentTable };

/** The tables as their queries name them. */
export const inSchema = <DB>(db: Kysely<DB>, schema: string): Kysely<SessionDatabase> =>
  (db as unknown as Kysely<SessionDatabase>).withSchema(schema);

/** The first migration of a schema with sessions; `of` names the site. */
export const sessionTables = (schema: string, of: string) => ({
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table ${sql.id(schema, 'session')} (
        session_hash text primary key,
        token text not null,
        proof bytea not null,
        opened_at timestamptz not null,
        seen_at timestamptz not null,
        notice bytea
      )`.execute(db);
    await sql`
      create table ${sql.id(schema, 'sent')} (
        session_hash text not null,
        once text not null,
        sent_at timestamptz not null,
        location text,
        primary key (session_hash, once)
      )`.execute(db);
    await sql`comment on table ${sql.id(schema, 'session')} is ${sql.lit(`Who has signed in to ${of}, on any instance`)}`.execute(
      db,
    );
    await sql`comment on table ${sql.id(schema, 'sent')} is ${sql.lit(`Forms of ${of} that were sent: each is done once`)}`.execute(
      db,
    );
  },
});
