import { sql } from 'kysely';
import { newId } from '#shared/platform/ids.ts';
import { hashSecret } from '#shared/platform/sessions/secrets.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { Console } from '../env.ts';

/** A form's file, with the id that later forms name it by. */
export type UploadedFile = { id: string; bytes: Uint8Array<ArrayBuffer> };

type Session = { secret: string };

/** How long a person may take to confirm a form. */
export const heldMs = 30 * 60_000;
/** For all sessions; the oldest is deleted. */
const mostHeld = 8;

/**
 * Stores a file between a form and its confirmation, which may reach different instances: the
 * newest file of each session, up to a total.
 * @throws Problem not_ready when the database does not answer
 */
export async function storeUploadedFile(
  { db, now }: Console,
  { secret }: Session,
  bytes: Uint8Array,
): Promise<string> {
  const row = {
    session_hash: hashSecret(secret),
    id: newId(),
    bytes: Buffer.from(bytes),
    held_at: new Date(now()),
  };
  const { session_hash: _, ...held } = row;
  const surplus = db
    .deleteFrom('console.held_file')
    .where(
      'session_hash',
      'in',
      sql<string>`(select session_hash from console.held_file order by held_at desc offset ${mostHeld - 1})`,
    );
  const insert = db
    .insertInto('console.held_file')
    .values(row)
    .onConflict((same) => same.column('session_hash').doUpdateSet(held));
  await fromDatabase(surplus.execute());
  await fromDatabase(insert.execute());
  return row.id;
}

/** The session's file with this id; undefined if it was replaced or has expired. */
export async function findUploadedFile(
  { db, now }: Console,
  { secret }: Session,
  id: string,
): Promise<UploadedFile | undefined> {
  const find = db
    .selectFrom('console.held_file')
    .select(['id', 'bytes'])
    .where('session_hash', '=', hashSecret(secret))
    .where('id', '=', id)
    .where('held_at', '>', new Date(now() - heldMs));
  const row = await fromDatabase(find.executeTakeFirst());
  return row && { id: row.id, bytes: new Uint8Array(row.bytes) };
}

export async function dropUploadedFile({ db }: Console, { secret }: Session): Promise<void> {
  await fromDatabase(
    db.deleteFrom('console.held_file').where('session_hash', '=', hashSecret(secret)).execute(),
  );
}
