import { sql, type Kysely } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';

const name = 'operations';

/** The log position up to which every owed webhook is recorded; undefined: none so far. */
export async function loadReconciled(db: Kysely<WebhooksDatabase>): Promise<bigint | undefined> {
  const row = await db
    .selectFrom('webhooks.reconciliation')
    .select('position')
    .where('name', '=', name)
    .executeTakeFirst();
  return row && BigInt(row.position);
}

/** Only forwards: of two processes at once, the slower one must not set the other back. */
export async function saveReconciled(
  db: Kysely<WebhooksDatabase>,
  position: bigint,
): Promise<void> {
  await sql`
    insert into webhooks.reconciliation (name, position) values (${name}, ${String(position)}::bigint)
    on conflict (name) do update
      set position = greatest(reconciliation.position, excluded.position), updated_at = now()`.execute(
    db,
  );
}
