import { sql, type Kysely } from 'kysely';
import type { MessageStatus, WebhooksDatabase } from '../database/tables.ts';

/** Each message counts once, by its state now. */
export type EndpointFigures = Record<MessageStatus, number> & {
  /** Pending ones that were tried, and failed; `pending` has those that were not. */
  retrying: number;
  /** How long the last answers took, in milliseconds; null where none came. */
  median_ms: number | null;
  p95_ms: number | null;
};

const figuresOf = 10_000;

/** The webhooks of the last day, by endpoint; of the newest 10,000 of the shop. */
export async function endpointFigures(
  db: Kysely<WebhooksDatabase>,
  shopId: string,
): Promise<Map<string, EndpointFigures>> {
  const { rows } = await sql<EndpointFigures & { endpoint_id: string }>`
    select endpoint_id,
      count(*) filter (where status = 'pending' and attempt_count = 0)::float8 as pending,
      count(*) filter (where status = 'delivered')::float8 as delivered,
      count(*) filter (where status = 'exhausted')::float8 as exhausted,
      count(*) filter (where status = 'cancelled')::float8 as cancelled,
      count(*) filter (where status = 'pending' and attempt_count > 0)::float8 as retrying,
      percentile_cont(0.5) within group (order by duration_ms) filter (where status_code is not null) as median_ms,
      percentile_cont(0.95) within group (order by duration_ms) filter (where status_code is not null) as p95_ms
    from (
      select message_id, endpoint_id, status, created_at, attempt_count from webhooks.message
      where shop_id = ${shopId} order by ordinal desc limit ${figuresOf}
    ) newest
    left join webhooks.attempt last on last.message_id = newest.message_id and last.number = attempt_count
    where created_at > now() - interval '1 day' group by 1`.execute(db);
  return new Map(rows.map(({ endpoint_id: id, ...figures }) => [id, figures]));
}
