import type { Kysely } from 'kysely';
import { migrate } from '#shared/platform/database/migrate.ts';
import { sessionTables } from '#shared/platform/sessions/tables.ts';

/** The name of the site: of its files, its cookies and the schema of its sessions. */
export const portalName = 'portal';

export async function migratePortal<DB>(db: Kysely<DB>): Promise<void> {
  await migrate(db, {
    schema: portalName,
    migrations: { '001-sessions': sessionTables(portalName, 'the portal') },
  });
}
