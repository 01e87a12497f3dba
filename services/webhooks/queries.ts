import { sql, type Kysely, type Selectable } from 'kysely';
import { newId } from '#shared/platform/ids.ts';
import type {
  AttemptTable,
  MessageStatus,
  MessageTable,
  WebhooksDatabase,
} from '#shared/application/webhooks/database/tables.ts';
import { pingMessage } from './message.ts';
import { recordMessages } from './ingest/record.ts';
import { countMatching, matches, type MessageFilter } from './message-filter.ts';
import { maxRedelivered, redeliverMany, type RedeliverQuery } from './redeliver.ts';

export type {
  MessageStatus,
  WebhooksDatabase,
} from '#shared/application/webhooks/database/tables.ts';
export { messageStatuses } from '#shared/application/webhooks/database/tables.ts';
export { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
export { redeliver } from './redeliver.ts';

export type AttemptView = {
  /** When it began, RFC 3339. */
  time: string;
  /** The endpoint's status; null if it did not answer. */
  status: number | null;
  duration_ms: number;
  /** The first KiB of the answer. */
  answer: string | null;
  error: string | null;
};

export type MessageView = {
  /** The event's id, `webhook-id` of every attempt: the same for all endpoints. */
  message_id: string;
  /** Of this message for this endpoint alone. */
  delivery_id: string;
  endpoint_id: string;
  type: string;
  operation_id: string | null;
  sequence: number;
  status: MessageStatus;
  /** Null for a message that is finished, or waits for an earlier one of its operation. */
  next_attempt_at: string | null;
  created_at: string;
  attempts: AttemptView[];
};

export type MessagePage = { messages: MessageView[]; next_cursor: string | null };

type MessageQuery = MessageFilter & {
  cursor?: string | undefined;
  /** 1 to 200. */
  limit?: number | undefined;
};

/**
 * Sends the messages that match a filter again (R14.8, for many at once): the oldest first, at most
 * 2,000, with a cursor if there may be more. @throws for an invalid cursor (`isCursor`)
 */
export async function redeliverByFilter(
  db: Kysely<WebhooksDatabase>,
  { cursor, ...query }: Omit<RedeliverQuery, 'after'> & { cursor?: string | undefined },
): Promise<{ count: number; next_cursor: string | null }> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (cursor !== undefined && after === undefined) throw new Error(`no cursor: ${cursor}`);
  const { count, next } = await redeliverMany(db, { ...query, after });
  return { count, next_cursor: next === undefined ? null : encodeCursor(next) };
}

/**
 * How many messages `redeliverByFilter` would send again, from the same cursor on; more than it
 * sends at once are counted as one more.
 */
export async function countRedeliverable(
  db: Kysely<WebhooksDatabase>,
  { cursor, ...query }: Omit<RedeliverQuery, 'after'> & { cursor?: string | undefined },
): Promise<{ count: number; more: boolean }> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const count = await countMatching(db, { ...query, after, atMost: maxRedelivered + 1 });
  return { count: Math.min(count, maxRedelivered), more: count > maxRedelivered };
}

/** Whether any message matches: then `redeliverByFilter` sends at least one again. */
export const hasMatching = async (
  db: Kysely<WebhooksDatabase>,
  filter: MessageFilter,
): Promise<boolean> => (await countMatching(db, { ...filter, atMost: 1 })) > 0;

const defaultLimit = 50;
const maxLimit = 200;

/**
 * A shop's webhooks with their attempts (R14.12): those of one operation in the order of their
 * sequence, else the newest first. `cursor_invalid`: the cursor does not come from a page.
 */
export async function listMessages(
  db: Kysely<WebhooksDatabase>,
  { cursor, limit = defaultLimit, ...filter }: MessageQuery,
): Promise<MessagePage | { refusal: { code: 'cursor_invalid' } }> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (cursor !== undefined && after === undefined) return { refusal: { code: 'cursor_invalid' } };
  const size = Math.min(Math.max(1, limit), maxLimit);
  const ofOne = filter.operationId !== undefined;

  let query = db.selectFrom('webhooks.message').selectAll().where(matches(filter));
  if (after !== undefined) query = query.where('ordinal', ofOne ? '>' : '<', after);
  const rows = await query
    .orderBy('ordinal', ofOne ? 'asc' : 'desc')
    .limit(size + 1)
    .execute();
  const page = rows.slice(0, size);
  const attempts = await attemptsOf(
    db,
    page.map((row) => row.message_id),
  );
  const last = rows.length > size ? page.at(-1) : undefined;
  return {
    messages: page.map((row) => viewMessage(row, attempts.get(row.message_id) ?? [])),
    next_cursor: last ? encodeCursor(last.ordinal) : null,
  };
}

/**
 * Queues a `ping` for an endpoint; it is sent, retried and stored like any other. Returns the
 * message's id.
 */
export async function ping(
  db: Kysely<WebhooksDatabase>,
  { shopId, endpointId = shopId }: { shopId: string; endpointId?: string | undefined },
): Promise<string> {
  const message = pingMessage({ id: newId(), shopId, endpointId, now: new Date() });
  await recordMessages(db, [message]);
  return message.messageId;
}

export type EndpointFigures = Record<MessageStatus, number> & {
  /** Pending ones that were tried, and failed. */
  retrying: number;
  /** How long the last attempts took, in milliseconds; null where there was none. */
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
      count(*) filter (where status = 'pending')::float8 as pending,
      count(*) filter (where status = 'delivered')::float8 as delivered,
      count(*) filter (where status = 'exhausted')::float8 as exhausted,
      count(*) filter (where status = 'cancelled')::float8 as cancelled,
      count(*) filter (where status = 'pending' and attempt_count > 0)::float8 as retrying,
      percentile_cont(0.5) within group (order by duration_ms) as median_ms,
      percentile_cont(0.95) within group (order by duration_ms) as p95_ms
    from (
      select message_id, endpoint_id, status, created_at, attempt_count from webhooks.message
      where shop_id = ${shopId} order by ordinal desc limit ${figuresOf}
    ) newest
    left join webhooks.attempt last on last.message_id = newest.message_id and last.number = attempt_count
    where created_at > now() - interval '1 day' group by 1`.execute(db);
  return new Map(rows.map(({ endpoint_id: id, ...figures }) => [id, figures]));
}

/** Every attempt to deliver one message, the first one first. */
export async function attemptsOfMessage(
  db: Kysely<WebhooksDatabase>,
  messageId: string,
): Promise<AttemptView[]> {
  return (await attemptsOf(db, [messageId])).get(messageId) ?? [];
}

async function attemptsOf(
  db: Kysely<WebhooksDatabase>,
  messageIds: readonly string[],
): Promise<Map<string, AttemptView[]>> {
  const byMessage = new Map<string, AttemptView[]>();
  if (messageIds.length === 0) return byMessage;
  const rows = await db
    .selectFrom('webhooks.attempt')
    .selectAll()
    .where('message_id', 'in', messageIds)
    .orderBy('message_id')
    .orderBy('number')
    .execute();
  for (const row of rows)
    byMessage.set(row.message_id, [...(byMessage.get(row.message_id) ?? []), viewAttempt(row)]);
  return byMessage;
}

function viewMessage(row: Selectable<MessageTable>, attempts: AttemptView[]): MessageView {
  return {
    message_id: row.event_id ?? row.message_id,
    delivery_id: row.message_id,
    endpoint_id: row.endpoint_id,
    type: row.type,
    operation_id: row.operation_id,
    sequence: row.sequence,
    status: row.status,
    next_attempt_at: row.due_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    attempts,
  };
}

function viewAttempt(row: Selectable<AttemptTable>): AttemptView {
  return {
    time: row.started_at.toISOString(),
    status: row.status_code,
    duration_ms: row.duration_ms,
    answer: row.answer,
    error: row.error,
  };
}

/** A position in the order of recording, opaque to clients. */
const encodeCursor = (ordinal: string): string => Buffer.from(`o${ordinal}`).toString('base64url');

/** Whether a text is a cursor of a page. */
export const isCursor = (text: string): boolean => decodeCursor(text) !== undefined;

function decodeCursor(cursor: string): string | undefined {
  return /^o(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
}
