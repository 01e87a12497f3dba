import { sql, type Kysely } from 'kysely';
import type { WebhooksDatabase } from './database/tables.ts';
import { announceDue } from './ingest/record.ts';

/**
 * Sends a message again, from the beginning of the schedule: one that is exhausted or delivered, and at once one that
 * waits for a retry. Earlier messages of its operation that are pending go first all the same.
 */
export async function redeliver(
  db: Kysely<WebhooksDatabase>,
  messageId: string,
): Promise<'accepted' | 'not_found'> {
  return db.transaction().execute(async (tx) => {
    const message = await tx
      .selectFrom('webhooks.message')
      .select(['shop_id', 'operation_id'])
      .where('message_id', '=', messageId)
      .executeTakeFirst();
    if (!message) return 'not_found';
    const operationId = message.operation_id;
    // Locked in the order of everybody, before anything is judged.
    await sql`
      select 1 from webhooks.message
      where message_id = ${messageId} or (status = 'pending' and operation_id = ${operationId})
      order by operation_id, sequence, message_id for update`.execute(tx);
    await sql`
      update webhooks.message
      set status = 'pending', finished_at = null, hold_until = null, nudged = true, round_start = attempt_count,
          due_at = case when claim_token is null then now() else due_at end
      where message_id = ${messageId}`.execute(tx);
    await sql`
      update webhooks.message
      set due_at = case when message.sequence = first.sequence then coalesce(due_at, now()) end
      from (
        select min(sequence) as sequence from webhooks.message
        where operation_id = ${operationId} and status = 'pending'
      ) first
      where operation_id = ${operationId} and status = 'pending' and claim_token is null`.execute(tx);
    await announceDue(tx, [message.shop_id]);
    return 'accepted';
  });
}
