import type { Kysely, Selectable } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import type { MessageTable } from '#shared/application/webhooks/database/tables.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { Problem } from '#shared/platform/http/problems.ts';

type MessageMatch = Pick<
  Selectable<MessageTable>,
  | 'message_id'
  | 'event_id'
  | 'endpoint_id'
  | 'shop_id'
  | 'operation_id'
  | 'sequence'
  | 'type'
  | 'body'
  | 'status'
  | 'due_at'
>;

/**
 * A webhook of the shop; one of another shop is not found. @throws Problem not_found
 */
export async function findMessage(
  db: Kysely<WebhooksDatabase>,
  shopId: string,
  id: string | undefined,
): Promise<MessageMatch> {
  const finding = db
    .selectFrom('webhooks.message')
    .select(['message_id', 'event_id', 'endpoint_id', 'shop_id', 'operation_id'])
    .select(['sequence', 'type', 'body', 'status', 'due_at'])
    .where('message_id', '=', readPathId(id))
    .where('shop_id', '=', shopId);
  const found = await fromDatabase(finding.executeTakeFirst());
  if (!found) throw new Problem('not_found');
  return found;
}

/**
 * What a webhook waits for: the first of its operation that is pending at its endpoint (R14.9).
 * Undefined for one that does not wait.
 */
export async function findAwaited(
  db: Kysely<WebhooksDatabase>,
  { shop_id, endpoint_id, operation_id, sequence, status, due_at }: MessageMatch,
): Promise<Pick<MessageMatch, 'message_id' | 'type'> | undefined> {
  if (status !== 'pending' || due_at !== null || operation_id === null) return undefined;
  const finding = db
    .selectFrom('webhooks.message')
    .select(['message_id', 'type'])
    .where('shop_id', '=', shop_id)
    .where('endpoint_id', '=', endpoint_id)
    .where('operation_id', '=', operation_id)
    .where('status', '=', 'pending')
    .where('sequence', '<', sequence)
    .orderBy('sequence')
    .limit(1);
  return fromDatabase(finding.executeTakeFirst());
}
