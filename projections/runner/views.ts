import { sql, type Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { liveSchema, type ReadModel } from '../read-model.ts';
import { views as allViews } from '../views/registry.ts';
import type { View } from '../views/view.ts';
import { grantToAnalysts } from './analyst-role.ts';

export type ViewOptions = {
  logger: Logger;
  /**
   * The read model whose tables were just replaced: views still read the old ones, and are made
   * anew.
   */
  replaced?: ReadModel;
  views?: readonly View[];
};

/**
 * At a start readers of an old view are not waited for, nor kept waiting: the next start makes it
 * anew.
 */
const lockTimeoutMs = 2_000;
/** `create or replace` can't take a column away or change its type. */
const otherColumns = '42P16';

/**
 * Makes the views that are missing or were made from another text, and takes away those that there
 * are no more. One whose tables are not there yet, or are of another version, waits for them. Views
 * are replaced in place where that can be done, so that what others have built on them stays.
 *
 * One that can't be made is logged and left as it is; after a replacement that is an error, as it
 * would go on reading the old tables. @throws that error
 */
export async function ensureViews<DB>(
  tx: Transaction<DB>,
  { logger, replaced, views = allViews }: ViewOptions,
): Promise<void> {
  await lockViews(tx);
  if (!replaced) await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx);
  const made = await readMade(tx);
  const ready = await readyModels(tx);
  let changes = 0;
  for (const [name] of made) {
    if (views.some((view) => view.name === name)) continue;
    changes += await attempt(tx, { name, logger, mustSucceed: false }, () => dropView(tx, name));
  }
  for (const view of views) {
    const isThere = made.get(view.name)?.exists === true;
    const onReplaced =
      replaced !== undefined && view.from.some(({ name }) => name === replaced.name);
    const options = { name: view.name, logger, mustSucceed: onReplaced };
    if (!view.from.every(({ name, version }) => ready.get(name) === version)) {
      if (onReplaced && isThere)
        changes += await attempt(tx, options, () => dropView(tx, view.name));
      continue;
    }
    const definition = hashOf(view);
    if (isThere && !onReplaced && made.get(view.name)?.definition === definition) continue;
    changes += await attempt(tx, options, () => makeView(tx, view, definition));
  }
  if (changes > 0) await grantToAnalysts(tx, { schema: liveSchema, logger });
}

/**
 * Keeps readers off the views on tables that are about to be replaced. A reader locks a view and
 * then its tables: whoever replaces both has to come in that order, or they wait for each other.
 * LOCK TABLE would lock the tables of other read models with the view; taking away a default that
 * no view column has locks the view alone.
 */
export async function lockViewsOn<DB>(
  tx: Transaction<DB>,
  model: ReadModel,
  views: readonly View[] = allViews,
): Promise<void> {
  await lockViews(tx);
  const made = await readMade(tx);
  for (const { name, from } of views) {
    if (made.get(name)?.exists !== true || !from.some((each) => each.name === model.name)) continue;
    const { rows } = await sql<{ column: string }>`
      select attname as column from pg_attribute
      where attrelid = ${`${liveSchema}.${name}`}::regclass and attnum = 1`.execute(tx);
    const column = sql.id(rows[0]?.column ?? '');
    await sql`alter view ${sql.id(liveSchema, name)} alter column ${column} drop default`.execute(
      tx,
    );
  }
}

/**
 * Drops the views on tables that are about to go for good. @throws when others have built on them
 */
export async function dropViewsOn<DB>(
  tx: Transaction<DB>,
  model: ReadModel,
  views: readonly View[] = allViews,
): Promise<void> {
  await lockViews(tx);
  for (const { name, from } of views) {
    if (from.some((each) => each.name === model.name)) await dropView(tx, name);
  }
}

/**
 * Transactions that make views wait for each other: those on two read models would meet at the
 * views.
 */
async function lockViews<DB>(tx: Transaction<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('projections: views', 0))`.execute(tx);
}

async function makeView<DB>(tx: Transaction<DB>, view: View, definition: string): Promise<void> {
  const name = sql.id(liveSchema, view.name);
  const select = sql.raw(view.select);
  await sql`savepoint replacing`.execute(tx);
  try {
    await sql`create or replace view ${name} as ${select}`.execute(tx);
  } catch (error) {
    await sql`rollback to savepoint replacing`.execute(tx);
    if ((error as { code?: string }).code !== otherColumns) throw error;
    await sql`drop view ${name}`.execute(tx);
    await sql`create view ${name} as ${select}`.execute(tx);
  }
  await sql`comment on view ${name} is ${sql.lit(view.comment)}`.execute(tx);
  for (const [column, comment] of Object.entries(view.columns)) {
    await sql`comment on column ${sql.id(liveSchema, view.name, column)} is ${sql.lit(comment)}`.execute(
      tx,
    );
  }
  await sql`
    insert into projections.views (name, definition) values (${view.name}, ${definition})
    on conflict (name) do update set definition = excluded.definition, made_at = now()`.execute(tx);
}

async function dropView<DB>(tx: Transaction<DB>, name: string): Promise<void> {
  await sql`drop view if exists ${sql.id(liveSchema, name)}`.execute(tx);
  await sql`delete from projections.views where name = ${name}`.execute(tx);
}

/** @returns 1 where the work was done, 0 where it could not be */
async function attempt<DB>(
  tx: Transaction<DB>,
  { name, logger, mustSucceed }: { name: string; logger: Logger; mustSucceed: boolean },
  work: () => Promise<void>,
): Promise<number> {
  await sql`savepoint one_view`.execute(tx);
  try {
    await work();
    await sql`release savepoint one_view`.execute(tx);
    return 1;
  } catch (error) {
    if (mustSucceed) throw error;
    await sql`rollback to savepoint one_view`.execute(tx);
    logger.warn({ err: error, view: name }, 'a view could not be created: it stays as it was');
    return 0;
  }
}

type Made = { definition: string | undefined; exists: boolean };

async function readMade<DB>(tx: Transaction<DB>): Promise<Map<string, Made>> {
  const { rows } = await sql<{ name: string; definition: string; exists: boolean }>`
    select v.name, v.definition, p.viewname is not null as exists
    from projections.views v
    left join pg_views p on p.schemaname = ${liveSchema} and p.viewname = v.name`.execute(tx);
  return new Map(rows.map(({ name, definition, exists }) => [name, { definition, exists }]));
}

/** The version of every read model whose live tables are there. */
async function readyModels<DB>(tx: Transaction<DB>): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; version: number }>`
    select name, version from projections.status where schema = ${liveSchema}`.execute(tx);
  return new Map(rows.map(({ name, version }) => [name, version]));
}

function hashOf({ select, comment, columns }: View): string {
  return createHash('sha256')
    .update(JSON.stringify([select, comment, columns]))
    .digest('hex');
}
