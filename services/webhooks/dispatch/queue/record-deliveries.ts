import { sql, type Kysely, type Transaction } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { isIntermediate } from '../../message.ts';
import type { FinishedAttempt, Written } from './record-attempts.ts';

/**
 * Writes attempts that delivered their messages, all or none; by message id. Messages that are
 * missing in the result were no longer claimed with that token: `recordAttempts` handles them.
 *
 * It is the usual outcome, so it is cheap: two statements for any number of messages whose
 * successors are rare. One that is inserted meanwhile is seen by the second, or sees what the first
 * wrote.
 */
export async function recordDeliveries(
  db: Kysely<WebhooksDatabase>,
  attempts: readonly FinishedAttempt[],
): Promise<Map<string, Written>> {
  if (!attempts.some(({ claim }) => isIntermediate(claim.claimed.type))) {
    const { rows } = await finish(db, attempts);
    return withPromoted(rows, await promoteNext(db, listOperationIds(rows)));
  }
  return db.transaction().execute(async (tx) => {
    await lockPending(tx, attempts);
    const { rows } = await finish(tx, attempts);
    return withPromoted(rows, await promoteNext(tx, listOperationIds(rows)));
  });
}

/** Messages of one operation for one endpoint are sent in order. */
type OrderColumns = { operation_id: string | null; endpoint_id: string };
type FinishedRow = { message_id: string } & OrderColumns;
const orderKey = (row: OrderColumns): string => `${row.operation_id} ${row.endpoint_id}`;

const listOperationIds = (rows: readonly FinishedRow[]) =>
  rows.flatMap((row) => row.operation_id ?? []);

const withPromoted = (rows: readonly FinishedRow[], promoted: ReadonlySet<string>) =>
  new Map(
    rows.map((row): [string, Written] => {
      const promotes = row.operation_id !== null && promoted.has(orderKey(row));
      return [row.message_id, { next: { status: 'delivered' }, dueInMs: promotes ? 0 : undefined }];
    }),
  );

/**
 * Locks all pending messages of these operations, and the messages themselves, in the common order.
 * A transaction that inserts a successor meanwhile waits, and then finds it to be the first.
 */
async function lockPending(
  tx: Transaction<WebhooksDatabase>,
  attempts: readonly Pick<FinishedAttempt, 'messageId' | 'operationId'>[],
): Promise<void> {
  const operationIds = attempts.flatMap(({ operationId }) => operationId ?? []);
  const alone = attempts.flatMap(({ messageId, operationId }) =>
    operationId === null ? messageId : [],
  );
  await sql`
    select 1 from webhooks.message
    where (operation_id = any(${operationIds}::text[]) or message_id = any(${alone}::text[])) and status = 'pending'
    order by operation_id, sequence, message_id for update`.execute(tx);
}

const finish = (db: Kysely<WebhooksDatabase>, attempts: readonly FinishedAttempt[]) => {
  const column = <T>(of: (attempt: FinishedAttempt) => T) => attempts.map(of);
  return sql<FinishedRow>`
    with attempt as (
      select * from unnest(
        ${column(({ messageId }) => messageId)}::text[],
        ${column(({ claim }) => claim.claimed.token)}::uuid[],
        ${column(({ facts }) => facts?.startedAt.getTime())}::float8[],
        ${column(({ facts }) => facts?.durationMs)}::integer[],
        ${column(({ facts }) => facts?.url)}::text[],
        ${column(({ facts }) => facts?.statusCode)}::integer[],
        ${column(({ facts }) => facts?.answer)}::text[]
      ) as attempt (message_id, token, started_at_ms, duration_ms, url, status_code, answer)
    ), finished as (
      update webhooks.message
      set status = 'delivered', attempt_count = attempt_count + 1, finished_at = now(),
          due_at = null, hold_until = null, claim_token = null, lease_until = null
      from attempt
      where message.message_id = attempt.message_id and claim_token = attempt.token and status = 'pending'
      returning message.message_id, operation_id, endpoint_id, attempt_count as number,
        to_timestamp(started_at_ms / 1000) as started_at, duration_ms, url, status_code, answer
    ), forgotten as (
      delete from webhooks.failing_endpoint
      where endpoint_id in (select endpoint_id from finished) and not noted
    ), recovered as (
      update webhooks.failing_endpoint set recovered = true
      where endpoint_id in (select endpoint_id from finished) and noted and not recovered
    ), kept as (
      insert into webhooks.attempt (message_id, number, started_at, duration_ms, url, status_code, answer)
      select message_id, number, started_at, duration_ms, url, status_code, answer from finished
    )
    select message_id, operation_id, endpoint_id from finished`.execute(db);
};

/**
 * Makes the next message of each operation due, for each endpoint; returns those with one. With a
 * snapshot newer than the locks.
 */
async function promoteNext(
  tx: Kysely<WebhooksDatabase>,
  operationIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<OrderColumns>`
    update webhooks.message set due_at = greatest(now(), hold_until)
    where operation_id = any(${operationIds}::text[]) and status = 'pending' and due_at is null
      and not exists (
        select 1 from webhooks.message earlier
        where earlier.operation_id = message.operation_id
          and earlier.endpoint_id = message.endpoint_id and earlier.status = 'pending'
          and earlier.sequence < message.sequence)
    returning operation_id, endpoint_id`.execute(tx);
  return new Set(rows.map(orderKey));
}
