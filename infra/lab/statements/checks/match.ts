import { sql, type Kysely } from 'kysely';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { findStatementDay } from '#projections/statements/query.ts';
import { keyOf } from './compare.ts';

export type Matched = {
  of: StatementOf;
  lines: number;
  confirmed: number;
  /** What `gateway.statement_findings` has of it. */
  found: string[];
  findingsMs: number;
  dayMs: number;
};

/** What the read models make of a statement, asked for as an analyst and the console do. */
export async function matchStatement(db: Kysely<unknown>, of: StatementOf): Promise<Matched> {
  const { provider, account, currency, day } = of;
  const startedAt = performance.now();
  const { rows } = await sql<{ finding_id: string }>`
    select finding_id from gateway.statement_findings
    where provider = ${provider} and account = ${account} and currency = ${currency} and day = ${day}`.execute(
    db,
  );
  const foundAt = performance.now();
  const row = await findStatementDay(db, of);
  if (!row) throw new Error(`${provider} ${account} ${currency} ${day} is not there`);
  return {
    of,
    lines: row.lines,
    confirmed: row.confirmed,
    found: rows.map((finding) => keyOf(of, finding.finding_id)),
    findingsMs: foundAt - startedAt,
    dayMs: performance.now() - foundAt,
  };
}
