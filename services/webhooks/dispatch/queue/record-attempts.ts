import { sql, type Kysely, type Transaction } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { afterAttempt, type Next, type AttemptOutcome } from './outcome.ts';

/** The stored fields of an attempt. */
export type DeliveryFacts = {
  startedAt: Date;
  durationMs: number;
  url: string;
  statusCode: number | null;
  answer: string | null;
  error: string | null;
};

export type FinishedAttempt = {
  messageId: string;
  operationId: string | null;
  /** Evaluated when it is written. */
  claim: { claimed: { token: string; type: string } };
  outcome: AttemptOutcome;
  /** Undefined if there was none. */
  facts: DeliveryFacts | undefined;
};

export type RetryRules = { scheduleMs: readonly number[]; random: () => number };

/** The result of writing one attempt. */
export type Written = {
  next: Next;
  /**
   * In how many milliseconds the endpoint's next message is due because of it: a retry, or the
   * operation's next message.
   */
  dueInMs: number | undefined;
};

type Row = {
  message_id: string;
  endpoint_id: string;
  operation_id: string | null;
  status: string;
  claim_token: string | null;
  attempt_count: number;
  round_start: number;
  nudged: boolean;
  due_at: Date | null;
};

/** `waits`: an earlier message of the operation is pending. */
type Change = { row: Row; next: Next; attempted: boolean; waits: boolean };

/**
 * Writes attempts and the new states of their messages in one transaction; by message id. At most
 * one attempt of a message at a time.
 */
export async function recordAttempts(
  db: Kysely<WebhooksDatabase>,
  attempts: readonly FinishedAttempt[],
  retry: RetryRules,
): Promise<Map<string, Written>> {
  return db.transaction().execute(async (tx) => {
    const rows = await lock(tx, attempts);
    const byId = new Map(rows.map((row) => [row.message_id, row]));
    const stored = await storeAttempts(tx, attempts, byId);
    const decided = attempts.flatMap((attempt) => {
      const row = byId.get(attempt.messageId);
      if (!row) return [];
      const { token } = attempt.claim.claimed;
      const next = afterAttempt(toPending(row), { token, outcome: attempt.outcome }, retry);
      return [{ row, next, attempted: stored.has(row.message_id) }];
    });
    const first = firstPending(rows, decided);
    const isFirst = (row: Row) => row.operation_id === null || first.get(orderKey(row)) === row;
    const changes = decided.map((change) => ({ ...change, waits: !isFirst(change.row) }));
    const promoted = new Map(
      [...first].filter(
        ([, row]) => row.due_at === null && !changes.some((change) => change.row === row),
      ),
    );
    await update(tx, changes);
    await promote(
      tx,
      [...promoted.values()].map((row) => row.message_id),
    );
    await noteFailures(tx, attempts);
    return new Map(
      changes.map(({ row, next, waits }) => {
        const promotes = row.operation_id !== null && promoted.has(orderKey(row));
        const retryInMs = next.status === 'pending' && !waits ? next.delayMs : undefined;
        return [row.message_id, { next, dueInMs: promotes ? 0 : retryInMs }];
      }),
    );
  });
}

/** Messages of one operation for one endpoint are sent in order. */
const orderKey = (row: Row): string => `${row.operation_id} ${row.endpoint_id}`;

/** The first message of each order that is still pending once the changes are made. */
function firstPending(
  rows: readonly Row[],
  changes: readonly Pick<Change, 'row' | 'next'>[],
): Map<string, Row> {
  const finished = new Set(
    changes
      .filter(({ next }) => next.status === 'delivered' || next.status === 'exhausted')
      .map(({ row }) => row),
  );
  const first = new Map<string, Row>();
  for (const row of rows) {
    if (row.operation_id === null || row.status !== 'pending' || finished.has(row)) continue;
    if (!first.has(orderKey(row))) first.set(orderKey(row), row);
  }
  return first;
}

/**
 * All pending messages of these operations, and the messages themselves, locked in the common
 * order.
 */
async function lock(
  tx: Transaction<WebhooksDatabase>,
  attempts: readonly FinishedAttempt[],
): Promise<Row[]> {
  const ids = attempts.map(({ messageId }) => messageId);
  const operationIds = attempts.flatMap(({ operationId }) => operationId ?? []);
  const concerned = sql`
    message_id = any(${ids}::text[]) or (status = 'pending' and operation_id = any(${operationIds}::text[]))`;
  const order = sql`order by operation_id, sequence, message_id`;
  await sql`select 1 from webhooks.message where ${concerned} ${order} for update`.execute(tx);
  // Read again: a statement that waited for a lock does not see rows that were inserted meanwhile.
  const { rows } = await sql<Row>`
    select message_id, endpoint_id, operation_id, status, claim_token, attempt_count, round_start, nudged, due_at
    from webhooks.message where ${concerned} ${order}`.execute(tx);
  return rows;
}

async function update(
  tx: Transaction<WebhooksDatabase>,
  changes: readonly Change[],
): Promise<void> {
  const pending = (change: Change) => (change.next.status === 'pending' ? change.next : undefined);
  await sql`
    update webhooks.message
    set attempt_count = attempt_count + new.attempted,
        status = case when new.status = 'unchanged' then message.status else new.status end,
        claim_token = case when new.status = 'unchanged' then claim_token end,
        lease_until = case when new.status = 'unchanged' then lease_until end,
        due_at = case new.status
          when 'unchanged' then due_at
          when 'pending' then now() + new.delay_ms * interval '1 ms' end,
        hold_until = case new.status
          when 'unchanged' then hold_until
          when 'pending' then case when new.hold_ms > 0 then now() + new.hold_ms * interval '1 ms' end end,
        round_start = coalesce(new.round_start, message.round_start),
        finished_at = case
          when new.status = 'unchanged' then finished_at
          when new.status <> 'pending' then now() end
    from unnest(
      ${changes.map(({ row }) => row.message_id)}::text[],
      ${changes.map(({ next }) => next.status)}::text[],
      ${changes.map(({ attempted }) => (attempted ? 1 : 0))}::integer[],
      ${changes.map((change) => (change.waits ? null : (pending(change)?.delayMs ?? null)))}::float8[],
      ${changes.map((change) => pending(change)?.holdMs ?? null)}::float8[],
      ${changes.map((change) => pending(change)?.roundStart ?? null)}::integer[]
    ) as new (message_id, status, attempted, delay_ms, hold_ms, round_start)
    where message.message_id = new.message_id`.execute(tx);
}

async function promote(
  tx: Transaction<WebhooksDatabase>,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  await sql`
    update webhooks.message set due_at = greatest(now(), hold_until)
    where message_id = any(${messageIds}::text[]) and status = 'pending' and due_at is null`.execute(
    tx,
  );
}

/**
 * A batch whose commit was not confirmed is written again: attempts that are stored already are
 * neither stored nor counted twice. @returns the messages of the attempts that were not stored yet
 */
async function storeAttempts(
  tx: Transaction<WebhooksDatabase>,
  attempts: readonly FinishedAttempt[],
  rows: ReadonlyMap<string, Row>,
): Promise<Set<string>> {
  const recorded = attempts.flatMap(({ messageId, facts }) => {
    const row = rows.get(messageId);
    return facts && row ? [{ ...facts, messageId, number: row.attempt_count + 1 }] : [];
  });
  if (recorded.length === 0) return new Set();
  const { rows: inserted } = await sql<{ message_id: string }>`
    insert into webhooks.attempt (message_id, number, started_at, duration_ms, url, status_code, answer, error)
    select message_id, number, started_at, duration_ms, url, status_code, answer, error
    from unnest(
      ${recorded.map(({ messageId }) => messageId)}::text[],
      ${recorded.map(({ number }) => number)}::integer[],
      ${recorded.map(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
      ${recorded.map(({ durationMs }) => durationMs)}::integer[],
      ${recorded.map(({ url }) => url)}::text[],
      ${recorded.map(({ statusCode }) => statusCode)}::integer[],
      ${recorded.map(({ answer }) => answer)}::text[],
      ${recorded.map(({ error }) => error)}::text[]
    ) as new (message_id, number, started_at, duration_ms, url, status_code, answer, error)
    where not exists (
      select 1 from webhooks.attempt
      where attempt.message_id = new.message_id and attempt.started_at = new.started_at)
    returning message_id`.execute(tx);
  return new Set(inserted.map(({ message_id: id }) => id));
}

/** An endpoint fails since the first of its failures after a success. */
async function noteFailures(
  tx: Transaction<WebhooksDatabase>,
  attempts: readonly FinishedAttempt[],
): Promise<void> {
  const failed = attempts.flatMap(({ messageId, outcome, facts }) =>
    outcome.kind === 'failed' && facts ? [{ messageId, startedAt: facts.startedAt }] : [],
  );
  const delivered = attempts.flatMap(({ messageId, outcome }) =>
    outcome.kind === 'delivered' ? messageId : [],
  );
  if (failed.length > 0)
    await sql`
      insert into webhooks.failing_endpoint (endpoint_id, shop_id, since)
      select endpoint_id, shop_id, min(attempt.started_at)
      from unnest(
        ${failed.map(({ messageId }) => messageId)}::text[],
        ${failed.map(({ startedAt }) => startedAt.toISOString())}::timestamptz[]
      ) as attempt (message_id, started_at)
      join webhooks.message using (message_id)
      group by 1, 2 order by 1
      on conflict (endpoint_id) do update set since = excluded.since, recovered = false
      where failing_endpoint.recovered`.execute(tx);
  if (delivered.length > 0)
    await sql`
      with concerned as (
        select endpoint_id from webhooks.message where message_id = any(${delivered}::text[])
      ), forgotten as (
        delete from webhooks.failing_endpoint
        where endpoint_id in (select endpoint_id from concerned) and not noted
      )
      update webhooks.failing_endpoint set recovered = true
      where endpoint_id in (select endpoint_id from concerned) and noted`.execute(tx);
}

function toPending(row: Row) {
  return {
    claimToken: row.claim_token,
    attemptCount: row.attempt_count,
    roundStart: row.round_start,
    nudged: row.nudged,
  };
}
