import { sql, type Kysely, type RawBuilder } from 'kysely';

type Step = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Step[];
};

/** Runs a query, and returns all steps of PostgreSQL's plan for it. */
export async function planOf(
  db: Kysely<unknown>,
  query: RawBuilder<unknown>,
): Promise<{ steps: Step[]; ms: number }> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Step; 'Execution Time': number }] }>`
    explain (analyze, timing off, format json) ${query}`.execute(db);
  const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
  if (!plan) throw new Error('PostgreSQL returned no plan');
  return { steps: stepsOf(plan.Plan), ms: plan['Execution Time'] };
}

const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

/** The rows that the steps processed, including those that they dropped. */
export const examinedBy = (steps: readonly Step[]): number =>
  steps.reduce(
    (sum, step) =>
      sum +
      (step['Actual Rows'] +
        (step['Rows Removed by Filter'] ?? 0) +
        (step['Rows Removed by Join Filter'] ?? 0) +
        (step['Rows Removed by Index Recheck'] ?? 0)) *
        step['Actual Loops'],
    0,
  );
