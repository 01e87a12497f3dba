import { sql, type Kysely } from 'kysely';
import type { WebhooksDatabase } from '../database/tables.ts';

/** Removes endpoints' answers to webhooks of these operations: they may repeat personal data. */
export async function forgetAnswers(
  db: Kysely<WebhooksDatabase>,
  operationIds: readonly string[],
): Promise<void> {
  await db
    .updateTable('webhooks.attempt')
    .set({ answer: null })
    .where('message_id', 'in', (query) =>
      query
        .selectFrom('webhooks.message')
        .select('message_id')
        .where('operation_id', '=', sql<string>`any(${operationIds}::text[])`),
    )
    .execute();
}
