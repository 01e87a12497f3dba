import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { leaseMs, type RecordedClaim } from '../../claim.ts';
import type { Due } from '../pace/lane-table.ts';

export const renewEveryMs = 1_500;

const notClaimed = sql`(lease_until is null or lease_until <= now())`;

/**
 * Claims due messages, up to a number for each endpoint, the longest due first. It writes no
 * indexed column, so only the row changes.
 */
export async function claimMessages(
  db: Kysely<WebhooksDatabase>,
  demands: readonly { endpointId: string; limit: number }[],
  token: string,
): Promise<RecordedClaim[]> {
  const leaseEndsMs = performance.now() + leaseMs;
  const { rows } = await sql<{
    message_id: string;
    event_id: string | null;
    shop_id: string;
    endpoint_id: string;
    operation_id: string | null;
    sequence: number;
    mac: string | null;
    type: string;
    body: string;
    occurred_at_ms: number;
    traceparent: string | null;
  }>`
    with picked as materialized (
      select due.message_id
      from unnest(${demands.map(({ endpointId }) => endpointId)}::text[], ${demands.map(({ limit }) => limit)}::integer[])
        as wanted (endpoint_id, most)
      cross join lateral (
        select message_id from webhooks.message
        where endpoint_id = wanted.endpoint_id and status = 'pending' and due_at <= now() and ${notClaimed}
        order by due_at limit wanted.most
        for update skip locked
      ) due
    )
    update webhooks.message
    set claim_token = ${token}, nudged = false, lease_until = now() + ${leaseMs} * interval '1 ms'
    from picked where message.message_id = picked.message_id
    returning message.message_id, event_id, shop_id, endpoint_id, operation_id, sequence, mac, type, body, traceparent,
      (extract(epoch from occurred_at) * 1000)::float8 as occurred_at_ms`.execute(db);
  return rows.map((row) => ({
    messageId: row.message_id,
    webhookId: row.event_id ?? undefined,
    shopId: row.shop_id,
    endpointId: row.endpoint_id,
    operationId: row.operation_id,
    sequence: row.sequence,
    mac: row.mac,
    type: row.type,
    body: row.body,
    occurredAtMs: row.occurred_at_ms,
    traceparent: row.traceparent,
    token,
    leaseEndsMs,
  }));
}

/** Releases claims whose content is not proven, so that they are checked again later. */
export async function withhold(
  db: Kysely<WebhooksDatabase>,
  claims: readonly { messageId: string; token: string }[],
  { recheckMs }: { recheckMs: number },
): Promise<void> {
  await sql`
    update webhooks.message
    set due_at = now() + ${recheckMs} * interval '1 ms', claim_token = null, lease_until = null
    from unnest(${claims.map((each) => each.messageId)}::text[], ${claims.map((each) => each.token)}::uuid[])
      as held (message_id, token)
    where message.message_id = held.message_id and claim_token = held.token and status = 'pending'`.execute(
    db,
  );
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

/** The next due message of each endpoint. */
type DueEndpoints = ReadonlyMap<string, Due>;

/** An endpoint's first unclaimed message, and in how many milliseconds it is due. */
const firstDue = (endpointId: RawBuilder<unknown>) => sql`
  select shop_id, (extract(epoch from due_at - clock_timestamp()) * 1000)::float8 as in_ms
  from webhooks.message
  where endpoint_id = ${endpointId} and status = 'pending' and due_at is not null and ${notClaimed}
  order by due_at limit 1`;

type DueRow = { endpoint_id: string; shop_id: string; in_ms: number };

const byEndpoint = (rows: readonly DueRow[]): DueEndpoints =>
  new Map(rows.map((row) => [row.endpoint_id, { shopId: row.shop_id, inMs: row.in_ms }]));

/** The endpoints among these that have a message due, now or later. */
export async function nextDue(
  db: Kysely<WebhooksDatabase>,
  endpointIds: readonly string[],
): Promise<DueEndpoints> {
  const { rows } = await sql<DueRow>`
    select wanted.endpoint_id, shop_id, in_ms
    from unnest(${endpointIds}::text[]) as wanted (endpoint_id)
    cross join lateral (${firstDue(sql`wanted.endpoint_id`)}) next`.execute(db);
  return byEndpoint(rows);
}

/**
 * The same for every endpoint with pending messages: one or two index lookups an endpoint, however
 * many are pending.
 */
export async function allDue(db: Kysely<WebhooksDatabase>): Promise<DueEndpoints> {
  const { rows } = await sql<DueRow>`
    with recursive lane as (
      (select endpoint_id from webhooks.message
       where status = 'pending' and due_at is not null order by endpoint_id, due_at limit 1)
      union all
      select next.endpoint_id from lane cross join lateral (
        select endpoint_id from webhooks.message
        where status = 'pending' and due_at is not null and endpoint_id > lane.endpoint_id
        order by endpoint_id, due_at limit 1
      ) next
    )
    select lane.endpoint_id, shop_id, in_ms
    from lane cross join lateral (${firstDue(sql`lane.endpoint_id`)}) first`.execute(db);
  return byEndpoint(rows);
}

/**
 * Ends the messages that wait for an endpoint that was deleted. Claimed ones end when they are
 * released; the next sweep finds them.
 */
export async function cancelWaiting(
  db: Kysely<WebhooksDatabase>,
  endpointId: string,
): Promise<void> {
  await sql`
    update webhooks.message
    set status = 'cancelled', finished_at = now(), due_at = null, hold_until = null,
        claim_token = null, lease_until = null
    where endpoint_id = ${endpointId} and status = 'pending' and ${notClaimed}`.execute(db);
}

/**
 * Repairs messages that wait for nothing: the first pending message of an operation for an endpoint
 * without a due time, where a process died between a delivery and what it makes due.
 */
export async function releaseStranded(db: Kysely<WebhooksDatabase>): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhooks.message set due_at = now()
    where status = 'pending' and due_at is null and not exists (
      select 1 from webhooks.message earlier
      where earlier.operation_id = message.operation_id and earlier.endpoint_id = message.endpoint_id
        and earlier.status = 'pending' and earlier.sequence < message.sequence)`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
