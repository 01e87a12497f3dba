import { sql, type Kysely } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import {
  checkpointFromRow,
  identityToJson,
  type LogCheckpoint,
} from '#shared/platform/event-store/index.ts';

const name = 'operations';

/** The log position up to which every expected webhook is recorded; undefined: none so far. */
export async function loadReconciled(
  db: Kysely<WebhooksDatabase>,
): Promise<LogCheckpoint | undefined> {
  const row = await db
    .selectFrom('webhooks.reconciliation')
    .select(['position', 'position_event'])
    .where('name', '=', name)
    .executeTakeFirst();
  return row && checkpointFromRow(row.position, row.position_event);
}

/** Only forwards: of two processes at once, the slower one must not set the other back. */
export async function saveReconciled(
  db: Kysely<WebhooksDatabase>,
  at: LogCheckpoint,
): Promise<void> {
  await sql`
    insert into webhooks.reconciliation (name, position, position_event)
    values (${name}, ${String(at.position)}::bigint, ${identityToJson(at)}::jsonb)
    on conflict (name) do update
      set position = excluded.position, position_event = excluded.position_event, updated_at = now()
      where reconciliation.position <= excluded.position`.execute(db);
}
