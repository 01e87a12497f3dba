import { sql, type Kysely, type Transaction } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { announceDue } from '#shared/application/webhooks/messages/announce-due.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import { leaseMs, type HandoverLease } from '../claim.ts';
import { computeMessageMac, type MessageContent } from '../message-mac.ts';
import { messageDestination, type NewMessage } from '../message.ts';

type RecordOptions = {
  lease?: HandoverLease | undefined;
  /** Of the codes by which the dispatcher recognises the rows; without it, it reads the log. */
  macKey?: LogKey | undefined;
};

const noLease: HandoverLease = { token: '', leaseEndsMs: 0, messageIds: new Set() };

/**
 * Records messages, all or none. Known messages don't change, so an event may come any number of
 * times. Notifies the dispatchers of unclaimed ones. Returns the ids of the new ones.
 *
 * The messages of an operation must come together with all earlier ones, so that the first one is
 * known.
 */
export async function recordMessages(
  db: Kysely<WebhooksDatabase>,
  messages: readonly NewMessage[],
  { lease = noLease, macKey }: RecordOptions = {},
): Promise<Set<string>> {
  if (messages.length === 0) return new Set();
  // The usual case needs only one statement.
  if (messages.every(({ messageId }) => lease.messageIds.has(messageId)))
    return collectIds(await insert(db, messages, { lease, macKey }));
  const fresh = await db.transaction().execute(async (tx) => {
    const inserted = await insert(tx, messages, { lease, macKey });
    // A first message is due at once. A later one may have an earlier one that waits or is being
    // sent.
    const later = inserted
      .filter(({ sequence }) => sequence > 1)
      .flatMap(({ operation_id: id }) => id ?? []);
    if (later.length > 0) await settleOrder(tx, [...new Set(later)]);
    return inserted;
  });
  const left = fresh.filter(({ message_id: id }) => !lease.messageIds.has(id));
  await announceDue(db, [...new Set(left.map((message) => message.endpoint_id))]);
  return collectIds(fresh);
}

const collectIds = (rows: readonly { message_id: string }[]) =>
  new Set(rows.map((row) => row.message_id));

async function insert(
  db: Kysely<WebhooksDatabase>,
  messages: readonly NewMessage[],
  { lease, macKey }: { lease: HandoverLease; macKey: LogKey | undefined },
) {
  // Always in the same order, so that two transactions with the same messages can't deadlock.
  const rows = messages.toSorted((left, right) =>
    left.operationId === right.operationId
      ? left.sequence - right.sequence || (left.messageId < right.messageId ? -1 : 1)
      : (left.operationId ?? '') < (right.operationId ?? '')
        ? -1
        : 1,
  );
  const tokens = rows.map(({ messageId }) =>
    lease.messageIds.has(messageId) ? lease.token : null,
  );
  const { rows: inserted } = await sql<{
    message_id: string;
    operation_id: string | null;
    endpoint_id: string;
    sequence: number;
  }>`
    insert into webhooks.message (message_id, event_id, shop_id, other_endpoint_id, operation_id, sequence, type, body,
      occurred_at, traceparent, mac, due_at, claim_token, lease_until)
    select message_id, event_id, shop_id, endpoint_id, operation_id, sequence, type, body, occurred_at, traceparent, mac,
      case when sequence = 1 then now() end, token,
      case when token is not null then now() + ${leaseMs} * interval '1 ms' end
    from unnest(
      ${rows.map((row) => row.messageId)}::text[], ${rows.map((row) => row.eventId ?? null)}::text[],
      ${rows.map((row) => row.shopId)}::text[],
      ${rows.map((row) => (messageDestination(row) === row.shopId ? null : messageDestination(row)))}::text[],
      ${rows.map((row) => row.operationId)}::text[], ${rows.map((row) => row.sequence)}::integer[],
      ${rows.map((row) => row.type)}::text[], ${rows.map((row) => row.body)}::text[],
      ${rows.map((row) => row.occurredAt.toISOString())}::timestamptz[],
      ${rows.map((row) => row.traceparent ?? null)}::text[],
      ${rows.map((row) => (macKey ? computeMessageMac(macKey, toContent(row)) : null))}::text[], ${tokens}::uuid[]
    ) as new (message_id, event_id, shop_id, endpoint_id, operation_id, sequence, type, body, occurred_at,
      traceparent, mac, token)
    on conflict do nothing
    returning message_id, operation_id, endpoint_id, sequence`.execute(db);
  return inserted;
}

/**
 * Sets the due times of operations after newer messages of theirs were inserted: the first pending
 * message for each endpoint is due at once, even if it was waiting for a retry (R14.9); the others
 * wait for it.
 */
async function settleOrder(
  tx: Transaction<WebhooksDatabase>,
  operationIds: readonly string[],
): Promise<void> {
  // Locked before the decision: a concurrent attempt is either seen here, or waits and then sees
  // the new messages.
  await sql`
    select 1 from webhooks.message
    where operation_id = any(${operationIds}::text[]) and status = 'pending'
    order by operation_id, sequence, message_id for update`.execute(tx);
  await sql`
    update webhooks.message
    set nudged = true,
        due_at = case when claim_token is null then greatest(now(), hold_until) else due_at end
    from (
      select operation_id, endpoint_id, min(sequence) as sequence from webhooks.message
      where operation_id = any(${operationIds}::text[]) and status = 'pending'
      group by operation_id, endpoint_id
    ) first
    where message.operation_id = first.operation_id and message.endpoint_id = first.endpoint_id
      and message.sequence = first.sequence`.execute(tx);
}

function toContent({ eventId, ...message }: NewMessage): MessageContent {
  return { ...message, webhookId: eventId, endpointId: messageDestination(message) };
}
