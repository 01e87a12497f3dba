import { sql, type Kysely, type RawBuilder } from 'kysely';

type Plan = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
};

/** The rows that each step of PostgreSQL's plan processed, including those that it dropped. */
export async function examinedRows(
  db: Kysely<unknown>,
  query: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
    explain (analyze, timing off, format json) ${query}`.execute(db);
  return sumOf(rows[0]?.['QUERY PLAN'][0].Plan as Plan);
}

const sumOf = (plan: Plan): number =>
  (plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Join Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0)) *
    plan['Actual Loops'] +
  (plan.Plans ?? []).reduce((sum, each) => sum + sumOf(each), 0);
