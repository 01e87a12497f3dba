import { sql, type Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { operationsTable } from '../operations/table.ts';
import { listFindings } from './query.ts';
import { addOperations, analyze, useStatementTables } from '../testing/statement-tables.ts';

const template = '6f1d5b1e-0000-8000-8000-000000000000';

/** `strange`: lines name no operation, and the leg of every other one is nobody's. */
type Size = { days: readonly string[]; linesPerDay: number; strange: boolean };

/**
 * So many operations, entries and lines each day, of which one operation in ten thousand is not in
 * the statement.
 */
async function writeDays(db: Kysely<unknown>, { days, linesPerDay, strange }: Size): Promise<void> {
  await addOperations(db, [{ operationId: template, type: 'payment' }]);
  await sql`update gateway.operations set ended_at = now(),
    attempts = '[{"attempt": 1, "provider": "sandbox", "outcome": "accepted"}]'`.execute(db);
  // Matching uses none of them, and they take long to fill.
  const { rows } = await sql<{ name: string }>`
    select indexname as name from pg_indexes where tablename = 'operations' and indexname not like '%pkey'`.execute(
    db,
  );
  for (const { name } of rows) await sql`drop index ${sql.id('gateway', name)}`.execute(db);
  for (const [index, day] of days.entries()) {
    const at = sql`(${day}::timestamp at time zone 'UTC' + n * interval '0.8 s')`;
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
        posted_at, position)
      select 'shop-1', 'RUB', ${index * linesPerDay}::int + n, ${leg}, 'credit', ${id}, 'sandbox', 'service:test',
        100.00, 0, 0, -100.00, 0, 0, 0, 0, ${at}, n from ${numbers}`.execute(db);
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
      from ${numbers} where n % 10000 <> 0`.execute(db);
  }
}

async function timed(
  db: Kysely<unknown>,
  query: string,
): Promise<{ rows: Record<string, unknown>[]; ms: number }> {
  const startedAt = performance.now();
  const { rows } = await sql<Record<string, unknown>>`${sql.raw(query)}`.execute(db);
  return { rows, ms: performance.now() - startedAt };
}

it('a day of 40,000 lines is matched within seconds, and newest findings are found without the older days', async () => {
  const db = await useStatementTables();
  const [linesPerDay, days] = [40_000, ['2026-01-30', '2026-01-31']];
  const beganAt = performance.now();
  await writeDays(db, { linesPerDay, days, strange: false });
  const writtenInMs = performance.now() - beganAt;
  await analyze(db);
  const ofDay = `select * from gateway.statement_findings where provider = 'sandbox' and day = '2026-01-31'`;
  const day = await timed(db, ofDay);
  expect(day.rows).toHaveLength(4);
  const startedAt = performance.now();
  const newest = await listFindings(db, { filter: { status: 'open' }, limit: 4 });
  const newestMs = performance.now() - startedAt;
  expect(newest.findings.map((finding) => finding.day)).toEqual(
    Array.from({ length: 4 }, () => '2026-01-31'),
  );
  const sums = await timed(
    db,
    `select confirmed, findings_open from gateway.statement_days
    where provider = 'sandbox' and day = '2026-01-31'`,
  );
  expect(sums.rows).toEqual([{ confirmed: '39996', findings_open: '4' }]);
  const books = await timed(
    db,
    `select ledger_moved, unexplained, ledger_position from gateway.statement_days
    where provider = 'sandbox' and day = '2026-01-31'`,
  );
  const bookedBy = `${(days.length * linesPerDay).toString()}00.00`;
  expect(books.rows).toEqual([
    { ledger_moved: '4000000.00', unexplained: '0.00', ledger_position: bookedBy },
  ]);
  // Line by line against each other would take many minutes. How long writing them took tells how
  // busy the machine is.
  for (const ms of [day.ms, newestMs, sums.ms, books.ms]) expect(ms).toBeLessThan(3 * writtenInMs);
  if (process.env['EXPLAIN'])
    await explain(db, ofDay, { day: day.ms, newest: newestMs, sums: sums.ms, books: books.ms });
}, 240_000);

it('a day of which nobody says whose the money is takes no longer where PostgreSQL has counted nothing', async () => {
  const db = await useStatementTables();
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'gateway'::regnamespace and relkind = 'r'`.execute(
    db,
  );
  for (const { name } of rows)
    await sql`alter table ${sql.id('gateway', name)} set (autovacuum_enabled = false)`.execute(db);
  const day = '2026-01-31';
  const beganAt = performance.now();
  await writeDays(db, { days: ['2026-01-30', day], linesPerDay: 20_000, strange: true });
  const writtenInMs = performance.now() - beganAt;
  const ofDay = (view: string) =>
    `select * from gateway.${view} where provider = 'sandbox' and day = '${day}'`;
  const found = await timed(db, ofDay('statement_findings'));
  expect(found.rows).toHaveLength(20_002);
  const sums = await timed(db, ofDay('statement_days'));
  expect(sums.rows).toMatchObject([{ confirmed: '9998', unexplained: '0.00' }]);
  if (process.env['EXPLAIN'])
    await explain(db, ofDay('statement_findings'), { found: found.ms, sums: sums.ms });
  for (const { ms } of [found, sums]) expect(ms).toBeLessThan(3 * writtenInMs);
}, 240_000);

async function explain(db: Kysely<unknown>, query: string, ms: object): Promise<void> {
  const { rows } = await timed(db, `explain (analyze, costs off, buffers off) ${query}`);
  process.stdout.write(
    `${JSON.stringify(ms)}\n${rows.map((row) => Object.values(row)[0]).join('\n')}\n`,
  );
}
