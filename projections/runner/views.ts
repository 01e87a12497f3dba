import { sql, type Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { liveSchema, type ReadModel } from '../read-model.ts';
import { views as allViews } from '../views/registry.ts';
import type { SqlView } from '../views/view.ts';
import { grantToAnalysts } from './analyst-role.ts';
import { commentOn } from './comments.ts';

export type ViewOptions = {
  logger: Logger;
  /**
   * The read model whose tables were just replaced: views still read the old ones, and must be
   * remade.
   */
  replaced?: ReadModel;
  views?: readonly SqlView[];
};

/**
 * At a start, don't wait for readers of an old view, or make them wait: the next start remakes it.
 */
const lockTimeoutMs = 2_000;
/** `create or replace` can't drop a column or change its type. */
const otherColumns = '42P16';

/**
 * Makes views that are missing or whose text changed, and drops those that no longer exist. A view
 * whose tables are missing or of another version waits for them. Views are replaced in place if
 * possible, so that other views on them stay. A view that can't be made is logged and left as it
 * is; after a replacement of tables it is an error, as the view would go on reading the old ones.
 * @throws that error
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
    const definition = hashView(view);
    if (isThere && !onReplaced && made.get(view.name)?.definition === definition) continue;
    changes += await attempt(tx, options, () => makeView(tx, view, definition));
  }
  if (changes > 0) await grantToAnalysts(tx, { schema: liveSchema, logger });
}

/**
 * Keeps readers off the views on tables that are about to be replaced. A reader locks a view and
 * then its tables: replacing them must lock in the same order, or the two deadlock. LOCK TABLE
 * would also lock tables of other read models; dropping a column default that no view has locks
 * only the view.
 */
export async function lockViewsOn<DB>(
  tx: Transaction<DB>,
  model: ReadModel,
  views: readonly SqlView[] = allViews,
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
 * Drops the views on tables that are about to be dropped.
 * @throws when other views depend on them
 */
export async function dropViewsOn<DB>(
  tx: Transaction<DB>,
  model: ReadModel,
  views: readonly SqlView[] = allViews,
): Promise<void> {
  await lockViews(tx);
  for (const { name, from } of views) {
    if (from.some((each) => each.name === model.name)) await dropView(tx, name);
  }
}

/** Transactions that make views run one at a time: a view may read two read models. */
export async function lockViews<DB>(tx: Transaction<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('projections: views', 0))`.execute(tx);
}

async function makeView<DB>(tx: Transaction<DB>, view: SqlView, definition: string): Promise<void> {
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
  await commentOn(tx, 'view', { ...view, schema: liveSchema }, Object.entries(view.columns));
  await sql`
    insert into projections.views (name, definition) values (${view.name}, ${definition})
    on conflict (name) do update set definition = excluded.definition, made_at = now()`.execute(tx);
}

async function dropView<DB>(tx: Transaction<DB>, name: string): Promise<void> {
  await sql`drop view if exists ${sql.id(liveSchema, name)}`.execute(tx);
  await sql`delete from projections.views where name = ${name}`.execute(tx);
}

/** @returns 1 if the work was done, else 0 */
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
    logger.warn(
      { err: error, view: name },
      'a view could not be created: the previous one remains',
    );
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

/** The versions of the read models that have live tables. */
export async function readyModels<DB>(tx: Transaction<DB>): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; version: number }>`
    select name, version from projections.status where schema = ${liveSchema}`.execute(tx);
  return new Map(rows.map(({ name, version }) => [name, version]));
}

export function hashView({ select, comment, columns }: SqlView): string {
  return createHash('sha256')
    .update(JSON.stringify([select, comment, columns]))
    .digest('hex');
}
