import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { leaseMs, type Claimed } from '../../claim.ts';

export const renewEveryMs = 1_500;

const notClaimed = sql`(lease_until is null or lease_until <= now())`;

/**
 * Claims due messages, up to a number for each shop, the longest due first. It writes no indexed
 * column, so only the row changes.
 */
export async function claim(
  db: Kysely<WebhooksDatabase>,
  wanted: readonly { shopId: string; limit: number }[],
  token: string,
): Promise<Claimed[]> {
  const leaseEndsMs = performance.now() + leaseMs;
  const { rows } = await sql<{
    message_id: string;
    shop_id: string;
    operation_id: string | null;
    type: string;
    body: string;
    occurred_at_ms: number;
    traceparent: string | null;
  }>`
    with picked as materialized (
      select due.message_id
      from unnest(${wanted.map(({ shopId }) => shopId)}::text[], ${wanted.map(({ limit }) => limit)}::integer[])
        as wanted (shop_id, most)
      cross join lateral (
        select message_id from webhooks.message
        where shop_id = wanted.shop_id and status = 'pending' and due_at <= now() and ${notClaimed}
        order by due_at limit wanted.most
        for update skip locked
      ) due
    )
    update webhooks.message
    set claim_token = ${token}, nudged = false, lease_until = now() + ${leaseMs} * interval '1 ms'
    from picked where message.message_id = picked.message_id
    returning message.message_id, shop_id, operation_id, type, body, traceparent,
      (extract(epoch from occurred_at) * 1000)::float8 as occurred_at_ms`.execute(db);
  return rows.map((row) => ({
    messageId: row.message_id,
    shopId: row.shop_id,
    operationId: row.operation_id,
    type: row.type,
    body: row.body,
    occurredAtMs: row.occurred_at_ms,
    traceparent: row.traceparent,
    token,
    leaseEndsMs,
  }));
}

/**
 * Extends leases that have not ended, and returns their messages. A locked row is skipped until the
 * next time: usually it is just being finished, and waiting for several locks in another order
 * could deadlock.
 */
export async function renew(
  db: Kysely<WebhooksDatabase>,
  claims: readonly { messageId: string; token: string }[],
): Promise<ReadonlySet<string>> {
  if (claims.length === 0) return new Set();
  const { rows } = await sql<{ message_id: string }>`
    update webhooks.message set lease_until = now() + ${leaseMs} * interval '1 ms'
    where message_id in (
      select message.message_id from webhooks.message
      join unnest(${claims.map((each) => each.messageId)}::text[], ${claims.map((each) => each.token)}::uuid[])
        as held (message_id, token) on message.message_id = held.message_id and claim_token = held.token
      where status = 'pending'
      for update of message skip locked
    )
    returning message_id`.execute(db);
  return new Set(rows.map((row) => row.message_id));
}

/** A shop's first unclaimed message, and in how many milliseconds it is due. */
const firstDue = (shopId: RawBuilder<unknown>) => sql`
  select (extract(epoch from due_at - clock_timestamp()) * 1000)::float8 as in_ms from webhooks.message
  where shop_id = ${shopId} and status = 'pending' and due_at is not null and ${notClaimed}
  order by due_at limit 1`;

/**
 * In how many milliseconds each shop has a message due, 0 or less for now; absent if it has none.
 */
export async function nextDue(
  db: Kysely<WebhooksDatabase>,
  shopIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ shop_id: string; in_ms: number }>`
    select wanted.shop_id, in_ms from unnest(${shopIds}::text[]) as wanted (shop_id)
    cross join lateral (${firstDue(sql`wanted.shop_id`)}) next`.execute(db);
  return new Map(rows.map((row) => [row.shop_id, row.in_ms]));
}

/**
 * The same for every shop with pending messages: one or two index lookups a shop, however many are
 * pending.
 */
export async function allDue(db: Kysely<WebhooksDatabase>): Promise<Map<string, number>> {
  const { rows } = await sql<{ shop_id: string; in_ms: number }>`
    with recursive lane as (
      (select shop_id from webhooks.message
       where status = 'pending' and due_at is not null order by shop_id, due_at limit 1)
      union all
      select next.shop_id from lane cross join lateral (
        select shop_id from webhooks.message
        where status = 'pending' and due_at is not null and shop_id > lane.shop_id
        order by shop_id, due_at limit 1
      ) next
    )
    select lane.shop_id, in_ms from lane cross join lateral (${firstDue(sql`lane.shop_id`)}) first`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.shop_id, row.in_ms]));
}

/**
 * Repairs messages that wait for nothing: the first pending message of an operation without a due
 * time. None is expected; a change by hand may cause one.
 */
export async function releaseStranded(db: Kysely<WebhooksDatabase>): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhooks.message set due_at = now()
    where status = 'pending' and due_at is null and not exists (
      select 1 from webhooks.message earlier
      where earlier.operation_id = message.operation_id and earlier.status = 'pending'
        and earlier.sequence < message.sequence)`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
