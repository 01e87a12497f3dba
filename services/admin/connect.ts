import { sql, type Kysely } from 'kysely';
import { migrateWebhooks } from '#services/webhooks/queries.ts';
import type { ServiceContext } from '#shared/application/define-service.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import { exportLimits } from '#shared/platform/csv/exports.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import { unlessAnswered } from '#shared/platform/http/readiness.ts';
import { migrateConsole } from './console/session/tables.ts';
import type { AdminDatabase, AdminDb } from './database.ts';
import { migrateMarks } from './marks.ts';

/** People and programs wait for it. */
const impatient = { statementTimeoutMs: 8_000, silenceMs: 10_000 };

/** Few rows among many, and a sort without an index, take long; nobody else waits for these connections. */
const patient = { statementTimeoutMs: 600_000, silenceMs: 610_000, maxConnections: exportLimits.atOnce };

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
  const db = connectDatabase<AdminDatabase>(config.DATABASE_URL, { applicationName: 'admin', ...impatient });
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

/** Connections of their own: an export holds one for as long as its reader takes. */
export function connectForExports({
  config,
  onStop,
}: Pick<ServiceContext<'DATABASE_URL'>, 'config' | 'onStop'>): Kysely<unknown> {
  const db = connectDatabase<unknown>(config.DATABASE_URL, { applicationName: 'admin-exports', ...patient });
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
  db: AdminDb;
  prepared: Promise<boolean>;
}) {
  let isPrepared = false;
  void prepared.then((done) => (isPrepared = done));
  const unanswered = unlessAnswered('the event store or the database', () =>
    Promise.all([directory.ready(), sql`select 1`.execute(db)]),
  );
  return () => (isPrepared ? unanswered() : 'the database is not prepared yet');
}
