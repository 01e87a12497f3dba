import { sql, type Kysely, type Transaction } from 'kysely';
import type { MessageStatus, WebhooksDatabase } from '../database/tables.ts';
import { announceDue } from './announce-due.ts';
import { matches, type MessageFilter } from './filter.ts';

/**
 * Sends an exhausted or delivered message again, from the start of the schedule, or one that waits
 * for a retry at once. Earlier pending messages of its operation still go first.
 * @param id a `message_id`, or the id of an event: its messages for all endpoints, or for one
 */
export async function redeliver(
  db: Kysely<WebhooksDatabase>,
  id: string,
  endpointId?: string,
): Promise<'accepted' | 'not_found'> {
  const messages = await db.transaction().execute(async (tx) => {
    let query = tx
      .selectFrom('webhooks.message')
      .select(['message_id', 'endpoint_id', 'operation_id'])
      .where(({ eb, or }) => or([eb('message_id', '=', id), eb('event_id', '=', id)]));
    if (endpointId !== undefined) query = query.where('endpoint_id', '=', endpointId);
    const rows = await query.execute();
    if (rows.length > 0) await queueAgain(tx, { messages: rows });
    return rows;
  });
  if (messages.length === 0) return 'not_found';
  await announceDue(
    db,
    messages.map((message) => message.endpoint_id),
  );
  return 'accepted';
}

export type RedeliverQuery = MessageFilter & {
  status: MessageStatus;
  /** The ordinal of the newest message that was handled before. */
  after?: string | undefined;
};

/** The limit of one transaction, because it locks the rows that it changes. */
const perBatch = 200;
/** The limit of one request. */
const maxBatches = 10;
export const maxRedelivered = perBatch * maxBatches;

/**
 * Sends all messages of a shop that match a query again, oldest first, in batches: at most 2,000;
 * `next` is the ordinal to continue after if there may be more. After a broken connection the same
 * query can be repeated.
 */
export async function redeliverMessages(
  db: Kysely<WebhooksDatabase>,
  { shopId, ...query }: RedeliverQuery,
): Promise<{ count: number; next: string | undefined }> {
  let { after } = query;
  let count = 0;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const messages = await select(db, { shopId, ...query, after });
    if (messages.length > 0) {
      count += await db
        .transaction()
        .execute((tx) => queueAgain(tx, { messages, status: query.status }));
      await announceDue(db, [...new Set(messages.map((message) => message.endpoint_id))]);
    }
    after = messages.at(-1)?.ordinal ?? after;
    if (messages.length < perBatch) return { count, next: undefined };
  }
  return { count, next: after };
}

async function select(db: Kysely<WebhooksDatabase>, { after, ...filter }: RedeliverQuery) {
  let query = db
    .selectFrom('webhooks.message')
    .select(['message_id', 'endpoint_id', 'operation_id', 'ordinal'])
    .where(matches(filter));
  if (after !== undefined) query = query.where('ordinal', '>', after);
  return query.orderBy('ordinal').limit(perBatch).execute();
}

/** `status`: only those that still have it once they are locked. Returns how many were queued. */
async function queueAgain(
  tx: Transaction<WebhooksDatabase>,
  {
    messages,
    status = null,
  }: {
    messages: readonly { message_id: string; operation_id: string | null }[];
    status?: MessageStatus | null;
  },
): Promise<number> {
  const ids = messages.map(({ message_id: id }) => id);
  const operationIds = [...new Set(messages.flatMap(({ operation_id: id }) => id ?? []))];
  // Locked in the common order, before the decision. Joined instead of searched with `or`, so that
  // indexes are used.
  await sql`
    select 1 from webhooks.message
    where message_id in (
      select unnest(${ids}::text[])
      union select pending.message_id from unnest(${operationIds}::text[]) as concerned (operation_id)
      join webhooks.message pending using (operation_id) where pending.status = 'pending')
    order by operation_id, sequence, message_id for update`.execute(tx);
  const { numAffectedRows } = await sql`
    update webhooks.message
    set status = 'pending', finished_at = null, hold_until = null, nudged = true, round_start = attempt_count,
        due_at = case when claim_token is null then now() else due_at end
    where message_id = any(${ids}::text[]) and (${status}::text is null or status = ${status})`.execute(
    tx,
  );
  await sql`
    update webhooks.message
    set due_at = case when message.sequence = first.sequence then coalesce(due_at, now()) end
    from unnest(${operationIds}::text[]) as concerned (operation_id)
    cross join lateral (
      select endpoint_id, min(sequence) as sequence from webhooks.message pending
      where pending.operation_id = concerned.operation_id and pending.status = 'pending'
      group by endpoint_id
    ) first
    where message.operation_id = concerned.operation_id and message.endpoint_id = first.endpoint_id and status = 'pending' and claim_token is null`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0);
}
