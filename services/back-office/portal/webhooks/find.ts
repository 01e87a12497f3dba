import type { Kysely, Selectable } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { pathId } from '#shared/application/directory/command-shop.ts';
import type { MessageTable } from '#shared/application/webhooks/database/tables.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { Problem } from '#shared/platform/http/problems.ts';

type Found = Pick<
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
>;

/**
 * A webhook of the shop; one of another shop is not found. @throws Problem not_found
 */
export async function findMessage(
  db: Kysely<WebhooksDatabase>,
  shopId: string,
  id: string | undefined,
): Promise<Found> {
  const finding = db
    .selectFrom('webhooks.message')
    .select(['message_id', 'event_id', 'endpoint_id', 'shop_id', 'operation_id'])
    .select(['sequence', 'type', 'body', 'status'])
    .where('message_id', '=', pathId(id))
    .where('shop_id', '=', shopId);
  const found = await fromDatabase(finding.executeTakeFirst());
  if (!found) throw new Problem('not_found');
  return found;
}
