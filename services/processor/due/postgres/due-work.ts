import type { Kysely } from 'kysely';
import { migrate } from '#shared/database/migrate.ts';
import { prepareDatabase } from '#shared/database/prepare.ts';
import type { Logger } from '#shared/logger.ts';
import type { DueWork } from '../due-work.ts';
import { claimDue, overdue, release, renew } from './claims.ts';
import { feedWhileLocked } from './feeding.ts';
import { processorMigrations, type ProcessorDatabase } from './tables.ts';

/** The table of due work in PostgreSQL: leases on its clock, one feed at a time under its lock. */
export function createDueWork(db: Kysely<ProcessorDatabase>): DueWork {
  return {
    claim: (wanted) => claimDue(db, wanted),
    renew: (claims, leaseMs) => renew(db, claims, leaseMs),
    release: (claim, verdict) => release(db, claim, verdict),
    overdue: () => overdue(db),
    whileFeeding: (feed) => db.connection().execute((connection) => feedWhileLocked(connection, feed)),
  };
}

/** Makes the tables, as soon as PostgreSQL answers; false when the signal came first. */
export const prepareDueWork =
  (db: Kysely<ProcessorDatabase>, logger: Logger) =>
  (signal: AbortSignal): Promise<boolean> =>
    prepareDatabase(() => migrate(db, processorMigrations), { logger, signal });
