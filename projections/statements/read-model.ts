import { sql } from 'kysely';
import { statementStreamPrefix } from '#shared/domain/statements/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { ledgerReadModel } from '../ledger/read-model.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { liveSchema, UnappliableEvent, type Batch, type ReadModel } from '../read-model.ts';
import { upsertRows } from '../rows/upsert.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import { projectStatement } from './project.ts';
import {
  statementClosingsTable,
  statementLinesTable,
  statementsTable,
  type StatementRow,
} from './tables.ts';

/**
 * Providers' statements of their accounts, and people's notes on findings. Each event gives its
 * rows by itself, so a repeated event writes the same rows. Lines of earlier imports stay, but
 * don't count.
 */
export const statementsReadModel: ReadModel = {
  name: 'statements',
  version: 2,
  streamPrefixes: [statementStreamPrefix],
  tables: [statementsTable, statementLinesTable, statementClosingsTable],
  apply: async ({ tx, schema, events }) => {
    const read = events.map(project);
    const lines = read.flatMap((rows) => rows.lines ?? []);
    await upsertRows(tx, { table: statementLinesTable, schema, rows: lines });
    const statements = newest(read.flatMap(({ statement }) => statement ?? []));
    await upsertRows(tx, { table: statementsTable, schema, rows: statements });
    const closings = newest(read.flatMap(({ closing }) => closing ?? []));
    await upsertRows(tx, { table: statementClosingsTable, schema, rows: closings });
    // A day is queried as soon as it is imported. Without statistics PostgreSQL expects only a few
    // lines, and takes minutes to match a large day.
    if (statements.some(isLargeAndNew)) await analyze(tx, schema);
  },
};

/**
 * Analyzes the tables, and those that lines are matched with if they have grown a lot or were never
 * analyzed.
 */
async function analyze(tx: Batch['tx'], schema: string): Promise<void> {
  const others = [operationsReadModel, ledgerReadModel, suspenseReadModel].flatMap(
    ({ tables }) => tables,
  );
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = to_regnamespace(${liveSchema})
      and relname = any(${others.map(({ name }) => name)}::text[]) and relkind = 'r'
      and (reltuples < 0
        or pg_relation_size(oid) / current_setting('block_size')::int > ${grownBy} * relpages + ${fewPages})`.execute(
    tx,
  );
  const tables = [
    sql.id(schema, statementLinesTable.name),
    ...rows.map(({ name }) => sql.id(liveSchema, name)),
  ];
  await sql`analyze ${sql.join(tables)}`.execute(tx);
}

/** Statistics are useless once a table has this many times the pages, and some more. */
const [grownBy, fewPages] = [2, 100];

const isLargeAndNew = ({ lines, imported_at: at }: StatementRow): boolean =>
  lines >= 1_000 && Date.now() - at.getTime() < 3_600_000;

function project(event: StoredEvent) {
  try {
    return projectStatement(event);
  } catch (cause) {
    throw new UnappliableEvent(event, cause);
  }
}

type StatementRowKey = {
  provider: string;
  account: string;
  currency: string;
  day: string;
  finding_id?: string;
};

/** The last row of each key: a statement can upsert a row only once. */
function newest<Row extends StatementRowKey>(rows: readonly Row[]): Row[] {
  const rowKey = ({ provider, account, currency, day, finding_id = '' }: StatementRowKey) =>
    JSON.stringify([provider, account, currency, day, finding_id]);
  return [...new Map(rows.map((row) => [rowKey(row), row])).values()];
}
