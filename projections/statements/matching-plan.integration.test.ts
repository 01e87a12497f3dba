import { sql, type Kysely, type KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { operationsTable } from '../operations/table.ts';
import { listFindings } from './query.ts';
import { examinedBy, planOf } from '../testing/query-plan.ts';
import { addOperations, analyze, useStatementTables } from '../testing/statement-tables.ts';

const template = '6f1d5b1e-0000-8000-8000-000000000000';

// Matching takes linear time: PostgreSQL examines each line a bounded number of times, while
// comparing all pairs would examine each one thousands of times.

const linesPerDay = 4_000;
const days = ['2026-01-30', '2026-01-31'];
const newest = '2026-01-31';
const mostPerLine = 200;

/**
 * N operations, entries and lines each day, of which one operation in a thousand is not in the
 * statement. `strange`: lines name no operation, and every other leg is unknown.
 */
async function writeDays(db: Kysely<unknown>, { strange }: { strange: boolean }): Promise<void> {
  await addOperations(db, [{ operationId: template, type: 'payment' }]);
  await sql`update gateway.operations set ended_at = now(),
    attempts = '[{"attempt": 1, "provider": "sandbox", "outcome": "accepted"}]'`.execute(db);
  // Matching does not use these indexes, and they take long to fill.
  const { rows } = await sql<{ name: string }>`
    select indexname as name from pg_indexes where tablename = 'operations' and indexname not like '%pkey'`.execute(
    db,
  );
  for (const { name } of rows) await sql`drop index ${sql.id('gateway', name)}`.execute(db);
  for (const [index, day] of days.entries()) {
    const at = sql`(${day}::timestamp at time zone 'UTC' + n * interval '8 s')`;
    const id = sql`md5('operation' || ${index}::int || ' ' || n)::uuid`;
    const leg = sql`md5('leg' || ${index}::int || ' ' || n)::uuid::text`;
    const numbers = sql`generate_series(1, ${sql.lit(linesPerDay)}) as n`;
    const columns = Object.keys(operationsTable.columns).map((column) =>
      column === 'operation_id' || column === 'merchant_operation_id' ? id : sql.id('o', column),
    );
    await sql`
      insert into gateway.operations select ${sql.join(columns)} from gateway.operations o, ${numbers}
      where o.operation_id = ${template}`.execute(db);
    await sql`
      insert into gateway.legs (operation_id, leg_id, attempt, provider, currency, amount, completed_at, file, synthetic,
        recorded_at, position)
      select ${id}, ${leg}, 1, 'sandbox', 'RUB', 100.00, ${at}, false, false, ${at}, n from ${numbers}`.execute(
      db,
    );
    await sql`
      insert into gateway.journal_entries (shop_id, currency, revision, entry_id, kind, operation_id, provider, actor,
        to_balance, to_reserved, to_commission, to_provider, to_suspense, to_external, balance_after, reserved_after,
        posted_at, statement_at, leaf_hash, position)
      select 'shop-1', 'RUB', ${index * linesPerDay}::int + n, ${leg}, 'credit', ${id}, 'sandbox', 'service:test',
        100.00, 0, 0, -100.00, 0, 0, 0, 0, ${at}, ${at}, '', n
      from ${numbers}`.execute(db);
    await sql`
      insert into gateway.statements (provider, account, currency, day, import, source, lines, total_in, total_out,
        imported_by, imported_at, revision, position)
      values ('sandbox', 'default', 'RUB', ${day}, 1, 'provider', ${linesPerDay}, 0, 0, 'service:test', now(), 0, 1)`.execute(
      db,
    );
    await sql`
      insert into gateway.statement_lines (provider, account, currency, day, import, line, kind, direction, leg_id,
        operation_id, attempt, amount, completed_at, position)
      select 'sandbox', 'default', 'RUB', ${day}, 1, n, 'transfer', 'in', ${strange ? sql`${leg} || case n % 2 when 0 then '' else '?' end` : leg},
        ${strange ? sql`null` : sql`${id}::text`}, ${strange ? null : 1}, 100.00, ${at}, 1
      from ${numbers} where n % 1000 <> 0`.execute(db);
  }
}

const ofDay = (view: string) =>
  sql<Record<string, unknown>>`
    select * from ${sql.id('gateway', view)} where provider = 'sandbox' and day = ${newest}`;

async function expectBoundedPlans(db: Kysely<unknown>): Promise<void> {
  for (const view of ['statement_findings', 'statement_days'])
    expect(examinedBy((await planOf(db, ofDay(view))).steps)).toBeLessThan(
      mostPerLine * linesPerDay,
    );
}

function countFindingQueries(db: Kysely<unknown>) {
  const counted = { queries: 0 };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (JSON.stringify(node).includes('gateway.statement_findings')) counted.queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { counted, db: db.withPlugin(plugin) };
}

it('matching a day examines each line a bounded number of times (R22.12)', async () => {
  const db = await useStatementTables();
  await writeDays(db, { strange: false });
  await analyze(db);
  expect((await ofDay('statement_findings').execute(db)).rows).toHaveLength(4);
  const [sums] = (await ofDay('statement_days').execute(db)).rows;
  expect(sums).toMatchObject({
    confirmed: '3996',
    findings_open: '4',
    ledger_moved: '400000.00',
    unexplained: '0.00',
    ledger_position: '800000.00',
  });
  await expectBoundedPlans(db);
  // Large enough for a separate query.
  await sql`update gateway.statements set lines = 40000`.execute(db);
  const { db: watched, counted } = countFindingQueries(db);
  const { findings } = await listFindings(watched, { filter: { status: 'open' }, limit: 3 });
  expect(findings.map(({ day }) => day)).toEqual([newest, newest, newest]);
  expect(counted.queries).toBe(1);
});

it('matching is bounded without operation ids and without statistics', async () => {
  const db = await useStatementTables();
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'gateway'::regnamespace and relkind = 'r'`.execute(
    db,
  );
  for (const { name } of rows)
    await sql`alter table ${sql.id('gateway', name)} set (autovacuum_enabled = false)`.execute(db);
  await writeDays(db, { strange: true });
  expect((await ofDay('statement_findings').execute(db)).rows).toHaveLength(4_004);
  const [sums] = (await ofDay('statement_days').execute(db)).rows;
  expect(sums).toMatchObject({ confirmed: '1996', unexplained: '0.00' });
  await expectBoundedPlans(db);
});
