import { sql, type Kysely } from 'kysely';
import type { ServiceContext } from './define-service.ts';
import type { Directory } from './directory/directory.ts';
import { exportLimits } from '#shared/platform/csv/exports.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import { reasonUnlessAnswered } from '#shared/platform/http/readiness.ts';

/** The database connection of a service with pages, whose users wait for it. */
const impatient = { statementTimeoutMs: 8_000, silenceMs: 10_000 };

/** The connection for slow queries: a search for few rows of many, or a sort without an index. */
const patient = { statementTimeoutMs: 600_000, silenceMs: 610_000 };

/** For pages over a hundred thousand rows or more. */
const lessPatient = { statementTimeoutMs: 60_000, silenceMs: 70_000 };

/** `prepared`: true once the tables exist; false if the service was stopped before. */
export function connectForPages<DB>(
  context: Pick<ServiceContext<'DATABASE_URL'>, 'name' | 'config' | 'logger' | 'signal' | 'onStop'>,
  migrate: (db: Kysely<DB>) => Promise<void>,
  options: { maxConnections?: number } = {},
): { db: Kysely<DB>; prepared: Promise<boolean> } {
  const { name: applicationName, config, onStop } = context;
  const db = connectDatabase<DB>(config.DATABASE_URL, {
    applicationName,
    ...impatient,
    ...options,
  });
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
 * Limits for merchants, who don't know of each other: at least six can export before one has to
 * wait.
 */
export const merchantsExportLimits: typeof exportLimits = {
  ...exportLimits,
  atOnce: 8,
  reservedForNew: 4,
};

/** An export holds its connection for as long as its reader takes. */
export const connectForExports = connectWith(patient);
/** Matches providers' statements with operations when a page asks. */
export const connectForMatching = connectWith(lessPatient);

/** Ready if the tables exist and both stores answer. */
export function createPageReadiness<Database>({
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
  const unanswered = reasonUnlessAnswered('the event store or the database', () =>
    Promise.all([directory.ready(), sql`select 1`.execute(db)]),
  );
  return () => (isPrepared ? unanswered() : 'the database is not prepared yet');
}
