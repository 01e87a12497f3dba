import { sql, type Transaction } from 'kysely';
import type { Logger } from '#shared/logger.ts';
import type { ReadModel } from '../read-model.ts';
import { grantToAnalysts } from '../runner/analyst-role.ts';
import { dropTables } from '../runner/tables.ts';

/**
 * Puts the tables of one schema in the place of another's, with their checkpoint at `position`. Whoever reads waits for the moment
 * that the commit takes, and sees either the old tables or the new ones.
 */
export async function swapTables<DB>(
  tx: Transaction<DB>,
  model: ReadModel,
  {
    from,
    into,
    position,
    logger,
  }: { from: string; into: string; position: bigint | undefined; logger: Logger },
): Promise<void> {
  await dropTables(tx, model.tables, into);
  for (const { name } of model.tables) {
    await sql`alter table ${sql.id(from, name)} set schema ${sql.id(into)}`.execute(tx);
  }
  await grantToAnalysts(tx, { schema: into, logger });
  await sql`
    update projections.status as live set
      version = rebuilt.version, position = ${position?.toString() ?? null}, events = rebuilt.events,
      event_id = rebuilt.event_id, event_stream = rebuilt.event_stream, event_revision = rebuilt.event_revision
    from projections.status as rebuilt
    where live.schema = ${into} and live.name = ${model.name}
      and rebuilt.schema = ${from} and rebuilt.name = ${model.name}`.execute(tx);
  await sql`delete from projections.status where schema = ${from} and name = ${model.name}`.execute(tx);
}
