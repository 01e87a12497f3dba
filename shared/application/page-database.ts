import { sql, type Kysely } from 'kysely';
import type { ServiceContext } from './define-service.ts';
import type { Directory } from './directory/directory.ts';
import { exportLimits } from '#shared/platform/csv/exports.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import { unlessAnswered } from '#shared/platform/http/readiness.ts';

/** How a service with pages connects: users wait for the answer. */
const impatient = { statementTimeoutMs: 8_000, silenceMs: 10_000 };

/**
 * A search for few rows of many, or a sort without an index, takes long: these have their own
 * connections.
 */
const patient = { statementTimeoutMs: 600_000, silenceMs: 610_000 };

/** For pages over a hundred thousand rows and more. */
const lessPatient = { statementTimeoutMs: 60_000, silenceMs: 70_000 };

/** Its tables are there once `prepared` is true; false: the service was stopped before. */
export function connectForPages<DB>(
  context: Pick<ServiceContext<'DATABASE_URL'>, 'name' | 'config' | 'logger' | 'signal' | 'onStop'>,
  migrate: (db: Kysely<DB>) => Promise<void>,
): { db: Kysely<DB>; prepared: Promise<boolean> } {
  const { name: applicationName, config, onStop } = context;
  const db = connectDatabase<DB>(config.DATABASE_URL, { applicationName, ...impatient });
  onStop(() => db.destroy());
  const prepared = prepareDatabase(() => migrate(db), context);
  onStop(() => prepared);
  return { db, prepared };
}

/** Connections that no other page waits for. */
const connectWith =
  (limits: typeof patient) =>
  <DB = unknown>(
    { config, onStop }: Pick<ServiceContext<'DATABASE_URL'>, 'config' | 'onStop'>,
    options: { applicationName: string; maxConnections: number },
  ): Kysely<DB> => {
    const db = connectDatabase<DB>(config.DATABASE_URL, { ...limits, ...options });
    onStop(() => db.destroy());
    return db;
  };

/**
 * Of merchants, who know nothing of each other: six of them at least are there before one has to
 * wait for them.
 */
export const merchantsExportLimits: typeof exportLimits = { ...exportLimits, atOnce: 8, forNew: 4 };

/** An export holds a connection for as long as its reader takes. */
export const connectForExports = connectWith(patient);
/** Providers' statements are matched with what operations count when a page asks. */
export const connectForMatching = connectWith(lessPatient);

/** Ready: the tables are there, and both stores answer. */
export function createReadiness<Database>({
  directory,
  db,
  prepared,
}: {
  directory: Pick<Directory, 'ready'>;
  db: Kysely<Database>;
  prepared: Promise<boolean>;
}) {
  let isPrepared = false;
  void prepared.then((done) => (isPrepared = done));
  const unanswered = unlessAnswered('the event store or the database', () =>
    Promise.all([directory.ready(), sql`select 1`.execute(db)]),
  );
  return () => (isPrepared ? unanswered() : 'the database is not prepared yet');
}
