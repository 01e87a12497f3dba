import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { ServiceContext } from '#shared/application/define-service.ts';
import { impatient } from '#shared/application/page-database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import { migrateConsole } from './console/session/tables.ts';
import type { AdminDatabase, AdminDb } from './database.ts';
import { migrateMarks } from './marks.ts';

/** Its tables are there once `prepared` is true; false: the service was stopped before. */
export function connectAdminDatabase({
  config,
  logger,
  signal,
  onStop,
}: Pick<ServiceContext<'DATABASE_URL'>, 'config' | 'logger' | 'signal' | 'onStop'>): {
  db: AdminDb;
  prepared: Promise<boolean>;
} {
  const db = connectDatabase<AdminDatabase>(config.DATABASE_URL, {
    applicationName: 'admin',
    ...impatient,
  });
  onStop(() => db.destroy());
  const migrateAll = async () => {
    await migrateWebhooks(db);
    await migrateConsole(db);
    await migrateMarks(db);
  };
  const prepared = prepareDatabase(migrateAll, { logger, signal });
  onStop(() => prepared);
  return { db, prepared };
}
