import type { Kysely } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { ServiceContext } from '#shared/application/define-service.ts';
import { impatient } from '#shared/application/page-database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import { sessionTables } from '#shared/platform/sessions/tables.ts';

/** The schema of the portal's sessions: the one thing that it keeps outside of the log. */
export const portalSchema = 'portal';

export async function migratePortal<DB>(db: Kysely<DB>): Promise<void> {
  await migrate(db, {
    schema: portalSchema,
    migrations: { '001-sessions': sessionTables(portalSchema, 'the portal') },
  });
}

type Context = Pick<ServiceContext<'DATABASE_URL'>, 'config' | 'logger' | 'signal' | 'onStop'>;

/** Once `prepared` is true its tables are there; false: the service was stopped before that. */
export function connectPortalDatabase({ config, logger, signal, onStop }: Context) {
  const db = connectDatabase<WebhooksDatabase>(config.DATABASE_URL, {
    applicationName: 'portal',
    ...impatient,
  });
  onStop(() => db.destroy());
  const prepared = prepareDatabase(() => migratePortal(db), { logger, signal });
  onStop(() => prepared);
  return { db, prepared };
}
