import { sql, type Transaction } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { identityToJson, type LogCheckpoint } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { ReadModel } from '../read-model.ts';
import { grantToAnalysts } from '../runner/analyst-role.ts';
import { dropTables } from '../runner/tables.ts';
import { ensureViews, lockViewsOn, type ViewOptions } from '../runner/views.ts';

type Swap = {
  from: string;
  into: string;
  checkpoint: LogCheckpoint | undefined;
  logger: Logger;
} & Pick<ViewOptions, 'views'>;

/** The schema for replaced tables, until no reader uses them. */
const retiredSchema = 'gateway_retired';

/**
 * Readers queue behind a waiting lock. A query that has one table and waits for another could be
 * ended as a deadlock after a second, so the swap gives up sooner, lets them pass, and retries.
 */
const lockTimeoutMs = 500;
const pauseMs = 250;
const maxAttempts = 20;
/** lock_not_available, deadlock_detected. */
const locked = new Set(['55P03', '40P01']);

/**
 * Swaps the tables of one schema with another's, sets their `checkpoint`, and points
 * the views at them. Readers only wait for the commit, and see either the old tables or the new
 * ones.
 * @throws when another view depends on a table, or when readers hold the tables for about 15 s
 */
export async function swapTables<DB>(
  tx: Transaction<DB>,
  model: ReadModel,
  swap: Swap,
): Promise<void> {
  await sql`create schema if not exists ${sql.id(retiredSchema)}`.execute(tx);
  for (let attempt = 1; ; attempt += 1) {
    await sql`savepoint swap`.execute(tx);
    try {
      await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx);
      await putInPlace(tx, model, swap);
      return;
    } catch (error) {
      if (!locked.has((error as { code?: string }).code ?? '') || attempt === maxAttempts)
        throw error;
      await sql`rollback to savepoint swap`.execute(tx);
      await delay(pauseMs);
    }
  }
}

async function putInPlace<DB>(
  tx: Transaction<DB>,
  model: ReadModel,
  { from, into, checkpoint, logger, views }: Swap,
): Promise<void> {
  await lockViewsOn(tx, model, views);
  for (const { name } of model.tables) {
    await sql`alter table if exists ${sql.id(into, name)} set schema ${sql.id(retiredSchema)}`.execute(
      tx,
    );
    await sql`alter table ${sql.id(from, name)} set schema ${sql.id(into)}`.execute(tx);
  }
  await sql`
    update projections.status as live set
      -- A stop was that of the tables that are replaced.
      state = case live.state when 'stopped' then 'catching_up' else live.state end,
      failed_event_id = null, failed_stream = null, failed_revision = null, failed_reason = null,
      version = rebuilt.version, position = ${checkpoint?.position.toString() ?? null},
      position_event = ${checkpoint ? identityToJson(checkpoint) : null}::jsonb, events = rebuilt.events,
      event_id = rebuilt.event_id, event_stream = rebuilt.event_stream, event_revision = rebuilt.event_revision
    from projections.status as rebuilt
    where live.schema = ${into} and live.name = ${model.name}
      and rebuilt.schema = ${from} and rebuilt.name = ${model.name}`.execute(tx);
  await sql`delete from projections.status where schema = ${from} and name = ${model.name}`.execute(
    tx,
  );
  await ensureViews(tx, { logger, replaced: model, ...(views && { views }) });
  await dropTables(tx, model.tables, retiredSchema);
  await grantToAnalysts(tx, { schema: into, logger });
}
