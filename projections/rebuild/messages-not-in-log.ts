import { sql, type Kysely } from 'kysely';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

const pageSize = 1_000;
const readsAtOnce = 16;

type Message = { ordinal: string; message_id: string; event_id: string; operation_id: string };

/**
 * Moves the webhooks of events that are not in the log to a table of their own. They are not sent,
 * and the webhooks that their operations have in this log can take their places in the order.
 * @returns how many
 */
export async function removeMessagesNotIn(store: EventStore, db: Kysely<unknown>): Promise<number> {
  // From now on, recorded messages are of events of this log.
  const { rows: ends } = await sql<{ ordinal: string }>`
    select coalesce(max(ordinal), 0)::text as ordinal from webhooks.message`.execute(db);
  const end = ends[0]?.ordinal ?? '0';
  let removed = 0;
  for (let after = '0'; ;) {
    const { rows } = await sql<Message>`
      select ordinal::text, message_id, coalesce(event_id, message_id) as event_id, operation_id
      from webhooks.message
      where ordinal > ${after}::bigint and ordinal <= ${end}::bigint and operation_id is not null
      order by ordinal limit ${pageSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return removed;
    removed += await remove(db, await notIn(store, rows));
    after = last.ordinal;
  }
}

async function notIn(store: EventStore, messages: readonly Message[]): Promise<string[]> {
  const byOperation = Map.groupBy(messages, ({ operation_id: id }) => id);
  const left = byOperation.entries();
  const missing: string[] = [];
  await Promise.all(
    Array.from({ length: readsAtOnce }, async () => {
      for (const [operationId, ofIt] of left) {
        const events = await store.read(operationStream(operationId));
        const ids = new Set(events.map(({ id }) => id));
        missing.push(
          ...ofIt.flatMap((message) => (ids.has(message.event_id) ? [] : [message.message_id])),
        );
      }
    }),
  );
  return missing;
}

async function remove(db: Kysely<unknown>, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { numAffectedRows } = await sql`
    with gone as (delete from webhooks.message where message_id = any(${ids}::text[]) returning *)
    insert into webhooks.message_not_in_log (message_id, message)
    select message_id, to_jsonb(gone) from gone
    on conflict (message_id) do update set message = excluded.message, removed_at = now()`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}
