import type { Kysely } from 'kysely';
import { migrate } from '#shared/platform/database/migrate.ts';
import { sessionTables } from '#shared/platform/sessions/tables.ts';

/** The schema of the portal's sessions, which are all that it stores outside of the log. */
const portalSchema = 'portal';

export async function migratePortal<DB>(db: Kysely<DB>): Promise<void> {
  await migrate(db, {
    schema: portalSchema,
    migrations: { '001-sessions': sessionTables(portalSchema, 'the portal') },
  });
}
