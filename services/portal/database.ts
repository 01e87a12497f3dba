import { sql, type Kysely } from 'kysely';
import type { WebhooksDatabase } from '#services/webhooks/queries.ts';
import type { ServiceContext } from '#shared/application/define-service.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import { merchantsExportLimits } from '#shared/platform/csv/exports.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import { unlessAnswered } from '#shared/platform/http/readiness.ts';
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

/** Its tables are there once `prepared` is true; false: the service was stopped before. */
export function connectPortalDatabase({ config, logger, signal, onStop }: Context) {
  const db = connectDatabase<WebhooksDatabase>(config.DATABASE_URL, {
    applicationName: 'portal',
    statementTimeoutMs: 8_000,
    silenceMs: 10_000,
  });
  onStop(() => db.destroy());
  const prepared = prepareDatabase(() => migratePortal(db), { logger, signal });
  onStop(() => prepared);
  return { db, prepared };
}

/** Connections of their own: an export holds one for as long as its reader takes. */
export function connectForExports({ config, onStop }: Pick<Context, 'config' | 'onStop'>): Kysely<unknown> {
  const db = connectDatabase<unknown>(config.DATABASE_URL, {
    applicationName: 'portal-exports',
    statementTimeoutMs: 600_000,
    silenceMs: 610_000,
    maxConnections: merchantsExportLimits.atOnce,
  });
  onStop(() => db.destroy());
  return db;
}

/** Ready: the tables are there, and both stores answer. */
export function createReadiness({
  directory,
  db,
  prepared,
}: {
  directory: Pick<Directory, 'ready'>;
  db: Kysely<WebhooksDatabase>;
  prepared: Promise<boolean>;
}) {
  let isPrepared = false;
  void prepared.then((done) => (isPrepared = done));
  const unanswered = unlessAnswered('the event store or the database', () =>
    Promise.all([directory.ready(), sql`select 1`.execute(db)]),
  );
  return () => (isPrepared ? unanswered() : 'the database is not prepared yet');
}
