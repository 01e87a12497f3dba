import { sql, type Kysely } from 'kysely';
import { migrate } from '#shared/platform/database/migrate.ts';
import {
  sessionTables,
  type SentTable,
  type SessionTable,
} from '#shared/platform/sessions/tables.ts';

/** The name of the site: of its files, its cookie and the schema of its tables. */
export const consoleName = 'console';

/** The links to sign in with that were used, until they would be too old in any case. */
type UsedLinkTable = { id: string; expires_at: Date };

/** An operator's saved filter of a list: the query of its page's address. */
export type SavedFilterTable = Record<'operator' | 'page' | 'name' | 'query', string> & {
  saved_at: Date;
};

/** The file of a form, from the form until it is confirmed: one for each session. */
type UploadedFileTable = { session_hash: string; id: string; bytes: Buffer; held_at: Date };

export type ConsoleDatabase = {
  'console.session': SessionTable;
  'console.sent': SentTable;
  'console.used_link': UsedLinkTable;
  'console.saved_filter': SavedFilterTable;
  'console.held_file': UploadedFileTable;
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

const savedFilters = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table console.saved_filter (
        operator text not null,
        page text not null,
        name text not null,
        query text not null,
        saved_at timestamptz not null,
        primary key (operator, page, name)
      )`.execute(db);
    await sql`comment on table console.saved_filter is 'Filters of lists that operators keep, by their names'`.execute(
      db,
    );
  },
};

/** They were stored by the operator's name alone, which two tokens may share. */
const filtersByToken = {
  up: async (db: Kysely<unknown>) => {
    await sql`update console.saved_filter set operator = 'name:' || operator`.execute(db);
    await sql`comment on column console.saved_filter.operator is
      'The token that it is kept for; name: and the name until a token of that name signs in'`.execute(
      db,
    );
  },
};

const uploadedFiles = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table console.held_file (
        session_hash text primary key,
        id text not null,
        bytes bytea not null,
        held_at timestamptz not null
      )`.execute(db);
    await sql`comment on table console.held_file is 'The file of a form that waits to be confirmed: one for each session, for a while'`.execute(
      db,
    );
  },
};

/**
 * Brings the schema `console` up to date; for every instance of the admin service, at its start.
 */
export async function migrateConsole<DB>(db: Kysely<DB>): Promise<void> {
  await migrate(db, {
    schema: consoleName,
    migrations: {
      '001-sessions': sessionTables(consoleName, 'the console'),
      '002-used-links': usedLinks,
      '003-saved-filters': savedFilters,
      '004-held-files': uploadedFiles,
      '005-filters-by-token': filtersByToken,
    },
  });
}
