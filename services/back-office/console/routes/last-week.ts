import { sql, type Kysely } from 'kysely';
import { dayMs } from '#shared/domain/day.ts';
import type { AdminDatabase } from '../../api/database.ts';
import type { Group, Rate } from './estimate.ts';

const weekMs = 7 * dayMs;
/** The newest operations of the week are counted, so that the query is bounded. */
export const estimatedAtMost = 20_000;
const ratedAtMost = 50_000;

/** Amounts and counts of the last week, without personal data. From the read models. */
export async function readLastWeek(
  db: Kysely<AdminDatabase>,
  { shopId, nowMs }: { shopId: string; nowMs: number },
): Promise<{ groups: Group[]; rates: Rate[] }> {
  const since = new Date(nowMs - weekMs);
  const { rows: groups } = await sql<Group>`
    select type, method, currency, expected_amount::text as amount, count(*)::int as operations
    from (
      select type, method, currency, expected_amount from gateway.operations
      where shop_id = ${shopId} and created_at >= ${since} order by created_at desc limit ${estimatedAtMost}
    ) as newest
    group by 1, 2, 3, 4`.execute(db);
  const { rows: rates } = await sql<Rate>`
    select a.provider, o.type, o.method, count(*)::int as attempts,
      count(a.provider_reference)::int as accepted
    from (
      select type, method, attempts from gateway.operations
      where created_at >= ${since} order by created_at desc limit ${ratedAtMost}
    ) as o
    cross join lateral jsonb_to_recordset(o.attempts)
      as a (provider text, outcome text, provider_reference text)
    where a.outcome <> 'started'
    group by 1, 2, 3`.execute(db);
  return { groups, rates };
}
