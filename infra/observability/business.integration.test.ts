import { appendFileSync, readFileSync } from 'node:fs';
import { sql, type Kysely } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import { areLive, useDb, useOwnEventStore, useProjections } from '#projections/testing/stores.ts';
import { generateLog } from '#services/audit/testing/generated-log.ts';
import { writeLog } from '#services/audit/testing/write-log.ts';
import { statementStream, type StatementOf } from '#shared/domain/statements/events.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { markdownTable } from '#infra/verify/harness/figures/tables.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';

// The queries cover the current day.
await avoidMidnight();

type Target = { rawSql: string };
type Panel = { title: string; type: string; targets?: Target[] };
type Variable = { name: string; query: string; type: string };

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const dashboard = JSON.parse(read('business-dashboard.json')) as {
  panels: Panel[];
  templating: { list: Variable[] };
};
const questions = [
  ...read('../../docs/analysts/questions.md').matchAll(
    /^### (.+\?)\n[\s\S]*?```sql\n([\s\S]*?)```/gm,
  ),
];

/** A panel's SQL as Grafana expands it. */
function asGrafana(text: string, shops: readonly string[]): string {
  const from = `'${new Date(Date.now() - 7 * 86_400_000).toISOString()}'`;
  const to = `'${new Date(Date.now() + 86_400_000).toISOString()}'`;
  return text
    .replace(/\$__timeFilter\((\w+)\)/g, `$1 BETWEEN ${from} AND ${to}`)
    .replace(
      /\$__timeGroupAlias\((\w+), '1h'\)/g,
      'floor(extract(epoch from $1)/3600)*3600 AS "time"',
    )
    .replaceAll('$__timeFrom()', from)
    .replaceAll('$__timeTo()', to)
    .replaceAll('${currency}', 'RUB')
    .replaceAll('${shop:sqlstring}', shops.map((shop) => `'${shop}'`).join(','));
}

/**
 * Writes the results to a file for review: `LOOK_AT=<folder>` gets one for the panels and one for
 * the questions.
 */
function show(file: string, title: string, rows: readonly Record<string, unknown>[]): void {
  const folder = process.env['LOOK_AT'];
  if (folder === undefined) return;
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.slice(0, 8).map((row) => names.map((name) => textOf(row[name])));
  appendFileSync(`${folder}/${file}.md`, `## ${title}\n\n${markdownTable(names, cells)}\n\n`);
}

const textOf = (value: unknown): string =>
  value instanceof Date
    ? value.toISOString()
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

describe('a day of a simulated gateway', () => {
  const own = useOwnEventStore();
  beforeAll(async () => {
    const log = generateLog({ seed: 7, operations: 200 });
    const today = { day: new Date().toISOString().slice(0, 10) };
    for (const { type, data } of storedExamples.statement.slice(0, 2)) {
      const statement = { ...(data as StatementOf), ...today };
      log.append({ stream: statementStream(statement), type, data: statement });
    }
    await writeLog(own.store, log.events);
  });

  async function useDay(): Promise<Kysely<unknown>> {
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store });
    await eventually('all is read', () => areLive(projections));
    await projections.stop();
    await spreadOverDay(db);
    return db;
  }

  const asAnalyst = (db: Kysely<unknown>, text: string) =>
    db.transaction().execute(async (tx) => {
      await sql`set local role gateway_analyst`.execute(tx);
      return (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(tx)).rows;
    });

  it('has data in every panel of the business dashboard for an analyst', async () => {
    const db = await useDay();
    const variables = dashboard.templating.list.filter(({ type }) => type === 'query');
    for (const { query } of variables) expect(await asAnalyst(db, query)).not.toEqual([]);
    const shops = await asAnalyst(db, 'select shop_id from gateway.shops');
    const ids = shops.map(({ shop_id }) => String(shop_id));
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(panels.length).toBeGreaterThan(10);
    for (const { title, targets = [] } of panels) {
      expect(targets).toHaveLength(1);
      for (const { rawSql } of targets) {
        const text = asGrafana(rawSql, ids);
        expect(text).not.toMatch(/\$_|\$\{/);
        const rows = await asAnalyst(db, text);
        const hasData = rows.some((row) => Object.values(row).some((value) => value !== null));
        expect({ title, hasData }).toEqual({ title, hasData: true });
        show('dashboard', title, rows);
      }
    }
  });

  it('answers the documented questions of an analyst', async () => {
    const db = await useDay();
    expect(questions).toHaveLength(15);
    const [busiest] = await asAnalyst(
      db,
      `select shop_id from gateway.operations where type = 'payment' and status = 'completed'
      group by shop_id order by count(*) desc limit 1`,
    );
    for (const [, question = '', text = ''] of questions) {
      const rows = await asAnalyst(db, text.replaceAll('…', String(busiest?.['shop_id'])));
      show('questions', question, rows);
      // The simulated day has no statements.
      if (text.includes('statement_findings')) continue;
      expect({ question, some: rows.length > 0 }).toEqual({ question, some: true });
    }
  });
});

/**
 * All events were appended just now: spreads them over the last two days, with
 * a delivered webhook each.
 */
async function spreadOverDay(db: Kysely<unknown>): Promise<void> {
  const back = (by: string) => `now() - interval '1 minute' * (abs(hashtext(${by}::text)) % 2880)`;
  const spread: [table: string, columns: string[], by: string][] = [
    ['operations', ['created_at'], 'operation_id'],
    ['journal_entries', ['posted_at'], 'entry_id'],
  ];
  for (const [table, columns, by] of spread)
    for (const column of columns)
      await sql.raw(`update gateway.${table} set ${column} = ${back(by)}`).execute(db);
  await sql`update gateway.operations set ended_at = created_at + interval '20 seconds' where ended_at is not null`.execute(
    db,
  );
  await sql`insert into webhooks.message (message_id, shop_id, operation_id, sequence, type, body, occurred_at, status,
      attempt_count, finished_at)
    select operation_id::text, shop_id, operation_id::text, 1, type || '.' || status, '', ended_at, 'delivered', 1,
      ended_at + interval '1 second'
    from gateway.operations where ended_at is not null`.execute(db);
}
