import { sql, type Kysely } from 'kysely';
import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import {
  checkpointFromRow,
  type LogCheckpoint,
  type StoredIdentity,
} from '#shared/platform/event-store/index.ts';
import { added, nothingUsed, routeKey, type DailyUse } from '#shared/domain/daily-limits.ts';
import { liveSchema } from '../read-model.ts';
import { operationsReadModel } from './read-model.ts';
import type { AttemptRow } from './table.ts';

export type DayUse = {
  /** Everything in the log up to here is counted. */
  at: LogCheckpoint;
  /** By `routeKey`, for attempts that began on the day or later. */
  used: ReadonlyMap<string, DailyUse>;
  /**
   * Operations that may still change: by another attempt, or because one turns out not to be taken.
   */
  open: readonly OpenOperation[];
};

export type OpenOperation = {
  operationId: string;
  shopId: string;
  type: string;
  method: string;
  currency: string;
  amount: string;
  attempts: readonly Pick<
    AttemptRow,
    'attempt' | 'provider' | 'account' | 'outcome' | 'started_at'
  >[];
};

type Row = {
  position: string;
  position_event: StoredIdentity | null;
  type: string | null;
  method: string;
  currency: string;
  provider: string;
  account: string | null;
  count: number;
  amount: string;
  open: OpenOperation[];
};

/** Attempts start this long after the create at most: the acceptance wait is much shorter. */
const latestAttempt = '1 hour';

/**
 * How much of a shop's operations went to each route since the beginning of a UTC day. An attempt
 * counts from its start, unless the provider is known not to have taken it. One SQL statement, so
 * that figures and position are of one moment.
 */
export async function readDayUse<DB>(
  db: Kysely<DB>,
  { shopId, day }: { shopId: string; day: string },
): Promise<DayUse> {
  const from = sql`(${day}::text || 'T00:00:00Z')::timestamptz`;
  const { rows } = await sql<Row>`
    with used as (
      select o.type, o.method, o.currency, a.provider,
        nullif(a.account, ${defaultAccount}) as account, count(*)::int as count, sum(o.expected_amount)::text as amount
      from gateway.operations o
      cross join lateral jsonb_to_recordset(o.attempts)
        as a (provider text, account text, outcome text, provider_reference text, started_at timestamptz)
      where o.shop_id = ${shopId} and o.created_at >= ${from} - ${latestAttempt}::interval
        and a.started_at >= ${from}
        and (a.provider_reference is not null or a.outcome not in ('refused', 'withdrawn'))
      group by 1, 2, 3, 4, 5
    ), open as (
      select coalesce(jsonb_agg(jsonb_build_object('operationId', o.operation_id, 'shopId', o.shop_id, 'type', o.type,
        'method', o.method, 'currency', o.currency, 'amount', o.expected_amount::text, 'attempts', o.attempts)), '[]')
        as operations
      from gateway.operations o
      where o.shop_id = ${shopId} and o.created_at >= ${from} - ${latestAttempt}::interval
        and (o.status = 'creating'
          or jsonb_path_exists(o.attempts, '$[*] ? (@.outcome == "started" || @.outcome == "unresolved")'))
    )
    select coalesce(s.position, 0)::text as position,
      -- This service may be newer than the one that makes the column.
      to_jsonb(s) -> 'position_event' as position_event, open.operations as open, used.*
    from projections.status s cross join open left join used on true
    where s.schema = ${liveSchema} and s.name = ${operationsReadModel.name}`.execute(db);
  const [first] = rows;
  if (!first) throw new Error('there is no read model of operations');
  const used = new Map<string, DailyUse>();
  for (const { type, method, currency, provider, account, count, amount } of rows) {
    if (type === null) continue;
    const key = routeKey({ type, method, currency, provider, account: account ?? undefined });
    used.set(key, { count, amount: added(nothingUsed, amount).amount });
  }
  return { at: checkpointFromRow(first.position, first.position_event), used, open: first.open };
}
