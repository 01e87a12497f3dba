import { sql, type Kysely } from 'kysely';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { admitted } from '#shared/domain/operation/testing/given.ts';
import { ledgerReadModel } from '../ledger/read-model.ts';
import { projectOperation } from '../operations/project.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { operationsTable } from '../operations/table.ts';
import { liveSchema as schema } from '../read-model.ts';
import { runnerMigrations } from '../runner/migrations.ts';
import { prepareTables } from '../runner/prepare.ts';
import { upsertRows } from '../rows/upsert.ts';
import { statementsReadModel } from '../statements/read-model.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import { statementDays, statementFindings } from '../views/statements.ts';
import { storedEvents } from './stored-events.ts';
import { useDb } from './stores.ts';

/** Empty tables and views for statements, without a log. */
export async function useStatementTables(): Promise<Kysely<unknown>> {
  const { db } = await useDb();
  await migrate(db, runnerMigrations);
  const models = [operationsReadModel, ledgerReadModel, suspenseReadModel, statementsReadModel];
  for (const model of models)
    await prepareTables(
      db,
      { model, schema },
      { logger, views: [statementFindings, statementDays] },
    );
  return db;
}

/** Adds rows of admitted operations. */
export async function addOperations(
  db: Kysely<unknown>,
  ids: readonly { operationId: string; type: 'payment' | 'payout' }[],
): Promise<void> {
  const rows = ids.flatMap(({ operationId, type }) => {
    const events = [admitted({ operationId, type, merchantOperationId: operationId })];
    const [event] = storedEvents(`operation-${operationId}`, events);
    return (event && projectOperation(undefined, event)) ?? [];
  });
  await upsertRows(db, { table: operationsTable, schema, rows });
}

export const analyze = (db: Kysely<unknown>) => sql`analyze`.execute(db);
