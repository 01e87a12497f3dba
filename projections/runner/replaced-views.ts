import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { liveSchema } from '../read-model.ts';
import { views } from '../views/registry.ts';
import type { SqlView } from '../views/view.ts';
import { hashView, lockViews, readyModels } from './views.ts';

type ReplacedView = {
  /** Views that return something else than what they were made from. */
  replaced: string[];
  /** Views that another version made: this one does not know their text, or can't read it. */
  ofOtherVersion: string[];
};

/**
 * Finds views that somebody has replaced. Their plans are compared, because PostgreSQL rewrites the
 * text of a view, and a reader can't make another view to compare with.
 */
export async function findReplacedViews<DB>(
  tx: Transaction<DB>,
  isCompared: (view: SqlView) => boolean = () => true,
): Promise<ReplacedView> {
  const found: ReplacedView = { replaced: [], ofOtherVersion: [] };
  const definitions = await readDefinitions(tx);
  const ready = await readyModels(tx);
  for (const view of views.filter(isCompared)) {
    const { name, from } = view;
    if (!definitions.has(name) || from.some((each) => ready.get(each.name) !== each.version))
      continue;
    const definition = definitions.get(name);
    // A view is dropped with its definition, so somebody else has made one without.
    if (definition === null) {
      found.replaced.push(name);
      continue;
    }
    const answer = definition === hashView(view) ? await compare(tx, view) : 'other_version';
    if (answer === 'replaced') found.replaced.push(name);
    if (answer === 'other_version') found.ofOtherVersion.push(name);
  }
  return found;
}

/** Forgets that replaced views were made, so that they are made again. Never fails. */
export async function forgetReplacedViews<DB>(db: Kysely<DB>, logger: Logger): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      await lockViews(tx);
      const { replaced } = await findReplacedViews(tx);
      if (replaced.length === 0) return;
      logger.warn({ views: replaced }, 'somebody has replaced these views: they are made again');
      await sql`delete from projections.views where name = any(${replaced})`.execute(tx);
    });
  } catch (error) {
    logger.warn({ err: error }, 'the views could not be compared with what they are made from');
  }
}

/** By name: the hash of the text that it was made from, of all relations that there are. */
async function readDefinitions<DB>(tx: Transaction<DB>): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ name: string; definition: string | null }>`
    select relname as name, definition from pg_class left join projections.views on name = relname
    where relnamespace = to_regnamespace(${liveSchema})`.execute(tx);
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

const attempts = 5;

/** A table that grows in between may change the second plan: not every time. */
async function compare<DB>(
  tx: Transaction<DB>,
  view: SqlView,
): Promise<'same' | 'replaced' | 'other_version'> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const due = await readPlan(tx, view, sql`(${sql.raw(view.select)})`);
    if (due === undefined) return 'other_version';
    if (due === (await readPlan(tx, view, sql.id(liveSchema, view.name)))) return 'same';
  }
  return 'replaced';
}

/** How PostgreSQL would read the columns by name; undefined where it can't. */
async function readPlan<DB>(
  tx: Transaction<DB>,
  { columns }: SqlView,
  from: RawBuilder<unknown>,
): Promise<string | undefined> {
  const names = Object.keys(columns).map((name) => sql.id(name));
  await sql`savepoint plan`.execute(tx);
  try {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain (verbose, costs off) select ${sql.join(names)} from ${from} as shown`.execute(tx);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } catch {
    await sql`rollback to savepoint plan`.execute(tx);
    return undefined;
  }
}
