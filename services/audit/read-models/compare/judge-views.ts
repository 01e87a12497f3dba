import { sql, type Transaction } from 'kysely';
import { findReplacedViews } from '#projections/runner/replaced-views.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { ModelName } from '../rows/tables.ts';
import { hasTable } from './snapshot.ts';

type JudgeViewsOptions = {
  /** The read models that can be compared. */
  models: readonly ModelName[];
  report: Report;
  notCompared: string[];
};

/**
 * Reports views that are not as the gateway made them, and what else would change or hide rows:
 * people read the views, and the comparison of tables shows only how they are now.
 */
export async function judgeViews<DB>(
  tx: Transaction<DB>,
  { models, report, notCompared }: JudgeViewsOptions,
): Promise<void> {
  const flag = (relation: string, message: string) =>
    report({ rule: 'read_model.differs', stream: relation, message });
  for (const { relation, what } of await readAdditions(tx))
    flag(relation, `it has a ${what}, which the gateway does not make`);
  if (!(await hasTable(tx, 'projections.views'))) return;
  const { replaced, ofOtherVersion } = await findReplacedViews(tx, ({ from }) =>
    from.every(({ name }) => models.some((each) => each === name)),
  );
  for (const name of replaced)
    flag(`gateway.${name}`, 'the view returns something else than what the gateway made it from');
  for (const name of ofOtherVersion)
    notCompared.push(`the view ${name} was made by another version: run the audit of that version`);
}

/** Triggers, rules and policies on tables and views. */
async function readAdditions<DB>(
  tx: Transaction<DB>,
): Promise<{ relation: string; what: string }[]> {
  const { rows } = await sql<{ relation: string; what: string }>`
    with added as (
      select tgrelid as oid, 'trigger ' || tgname as what from pg_trigger where not tgisinternal
      union all
      select ev_class, 'rule ' || rulename from pg_rewrite where rulename <> '_RETURN'
      union all
      select polrelid, 'policy ' || polname from pg_policy
      union all
      select oid, 'row-level security' from pg_class where relrowsecurity
    )
    select nspname || '.' || relname as relation, what
    from added join pg_class using (oid) join pg_namespace n on n.oid = relnamespace
    where nspname in ('gateway', 'webhooks') order by 1, 2`.execute(tx);
  return rows;
}
