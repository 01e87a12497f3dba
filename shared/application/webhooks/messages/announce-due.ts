import { sql, type Kysely } from 'kysely';
import { dueChannel, type WebhooksDatabase } from '../database/tables.ts';

/**
 * Notifies every dispatcher that these endpoints have due messages. Called after their commit: a
 * notification that fails must not undo it, and any login can fill PostgreSQL's queue of them. What
 * is not notified is found by the sweep.
 */
export async function announceDue(
  db: Kysely<WebhooksDatabase>,
  endpointIds: readonly string[],
): Promise<void> {
  if (endpointIds.length === 0) return;
  await sql`select pg_notify(${dueChannel}, endpoint_id) from unnest(${endpointIds}::text[]) as due (endpoint_id)`
    .execute(db)
    .catch(() => undefined);
}
