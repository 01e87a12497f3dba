import type { Kysely, Selectable } from 'kysely';
import type {
  AttemptTable,
  MessageStatus,
  MessageTable,
  WebhooksDatabase,
} from '../database/tables.ts';
import { decodeMessageCursor, encodeMessageCursor } from './cursor.ts';
import { matches, type MessageFilter } from './filter.ts';

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
  /** The id of this message for this endpoint alone. */
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
  const after = cursor === undefined ? undefined : decodeMessageCursor(cursor);
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
  const attempts = await readAttempts(
    db,
    page.map((row) => row.message_id),
  );
  const last = rows.length > size ? page.at(-1) : undefined;
  return {
    messages: page.map((row) => viewMessage(row, attempts.get(row.message_id) ?? [])),
    next_cursor: last ? encodeMessageCursor(last.ordinal) : null,
  };
}

/** Every attempt to deliver one message, the first one first. */
export async function attemptsOfMessage(
  db: Kysely<WebhooksDatabase>,
  messageId: string,
): Promise<AttemptView[]> {
  return (await readAttempts(db, [messageId])).get(messageId) ?? [];
}

async function readAttempts(
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
