import { sql, type Kysely } from 'kysely';
import { newId } from '#shared/platform/ids.ts';
import type { WebhooksDatabase } from '../database/tables.ts';
import { announceDue } from './announce-due.ts';

/**
 * Queues a `ping`, with which an operator tests an endpoint; it is sent, retried and stored like any
 * other webhook. It has no operation, so its sequence is 1. Returns the message's id.
 */
export async function ping(
  db: Kysely<WebhooksDatabase>,
  { shopId, endpointId = shopId }: { shopId: string; endpointId?: string | undefined },
): Promise<string> {
  const id = newId();
  const timestamp = new Date().toISOString();
  const body = { id, type: 'ping', timestamp, sequence: 1, data: { shop_id: shopId } };
  await sql`
    insert into webhooks.message
      (message_id, shop_id, other_endpoint_id, sequence, type, body, occurred_at, due_at)
    values (${id}, ${shopId}, ${endpointId === shopId ? null : endpointId}, 1, 'ping',
      ${JSON.stringify(body)}, ${timestamp}, now())`.execute(db);
  await announceDue(db, [endpointId]);
  return id;
}
