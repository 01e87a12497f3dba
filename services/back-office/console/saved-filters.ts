import { sql } from 'kysely';
import { z } from 'zod';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { checkFormToken, readFormValues } from '#shared/platform/sessions/form.ts';
import { isInForce } from '#shared/domain/operator/operators.ts';
import type { Holder } from '../api/authentication.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { hiddenField, tabs } from '../frame/components.ts';
import { formToken } from '../frame/pages.ts';
import { type Console, type ConsoleView, type ConsoleApp } from './env.ts';
import type { SavedFilterTable } from './session/tables.ts';
import { operatorHolderKey } from './session/holder.ts';
import { recheckOperatorSession } from './session/require.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

/** Pages whose filters an operator may save under a name. */
const pages = ['/operations', '/activity'] as const;
type FilteredPage = (typeof pages)[number];

const maxPerPage = 20;
/** The longest query that is saved, percent-encoded as in an address. */
const maxQuery = 1_000;

const texts = {
  saved: { ru: 'Сохранённые фильтры', en: 'Saved filters' },
  save: { ru: 'Сохранить фильтр', en: 'Save this filter' },
  forget: { ru: 'Удалить фильтр', en: 'Delete the filter' },
} as const satisfies Record<string, Words>;

const form = z.object({
  page: z.enum(pages),
  name: z
    .string()
    .trim()
    .min(1)
    .max(40)
    .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name)),
  query: z.string().default(''),
});

/** The filter in an address, without page and appearance. */
function normalizeQuery(address: string): string {
  const { searchParams } = new URL(address, 'http://page');
  for (const name of ['cursor', 'lang', 'theme']) searchParams.delete(name);
  return new URLSearchParams([...searchParams].filter(([, value]) => value !== '')).toString();
}

/** Filters belong to a token: two tokens of one name share none. */
export function registerSavedFilters(app: ConsoleApp, console: Console): void {
  const { db, now } = console;
  app.post('/saved-filters', async (c) => {
    const values = await readFormValues(c);
    await recheckOperatorSession(c, console);
    checkFormToken(c.get('session'), values);
    const { data } = form.safeParse(values);
    if (!data)
      throw new Problem('invalid_request', { detail: 'a filter has a name of 1 to 40 characters' });
    const { page, name } = data;
    const query = normalizeQuery(`?${data.query}`);
    if (query.length > maxQuery)
      throw new Problem('invalid_request', {
        detail: `a filter has at most ${maxQuery} characters`,
      });
    const operator = filterOwner(c.get('session').holder);
    if (values['forget'] !== undefined) {
      const forget = db
        .deleteFrom('console.saved_filter')
        .where('operator', '=', operator)
        .where('page', '=', page)
        .where('name', '=', name);
      await fromDatabase(forget.execute());
      return c.redirect(page, 303);
    }
    const isSaved = await fromDatabase(
      save(db, { operator, page, name, query, saved_at: new Date(now()) }),
    );
    if (!isSaved)
      throw new Problem('invalid_request', {
        detail: `the limit of ${maxPerPage} filters is reached: delete one`,
      });
    return c.redirect(query === '' ? page : `${page}?${query}`, 303);
  });
}

const filterOwner = (holder: Holder): string => `token:${operatorHolderKey(holder)}`;

/**
 * At a sign-in, a token without filters inherits those that were stored by its name before, or by
 * an expired or revoked token of its name, because an operator gets a new token every 90 days.
 */
export async function takeOverFilters(
  { db, registry, now }: Pick<Console, 'db' | 'registry' | 'now'>,
  holder: Holder,
): Promise<void> {
  const issued = await registry.list();
  const atIso = new Date(now()).toISOString();
  const over = issued.filter((token) => token.name === holder.name && !isInForce(token, atIso));
  const before = [`name:${holder.name}`, ...over.map(({ tokenId }) => `token:${tokenId}`)];
  const own = filterOwner(holder);
  await sql`
    update console.saved_filter set operator = ${own}
    where operator = (
        select operator from console.saved_filter where operator = any(${before}::text[])
        order by saved_at desc limit 1)
      and not exists (select 1 from console.saved_filter where operator = ${own})`.execute(db);
}

/** Returns false if the operator has as many as allowed. */
function save(db: Console['db'], row: SavedFilterTable): Promise<boolean> {
  const { operator, page, name, query, saved_at } = row;
  return db.transaction().execute(async (tx) => {
    // One at a time for each operator, so that concurrent forms keep to the limit.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`console: filters of ${operator}`}, 0))`.execute(
      tx,
    );
    const names = await tx
      .selectFrom('console.saved_filter')
      .where('operator', '=', operator)
      .where('page', '=', page)
      .select('name')
      .execute();
    if (names.length >= maxPerPage && !names.some((each) => each.name === name)) return false;
    await tx
      .insertInto('console.saved_filter')
      .values(row)
      .onConflict((same) =>
        same.columns(['operator', 'page', 'name']).doUpdateSet({ query, saved_at }),
      )
      .execute();
    return true;
  });
}

/** Links to the reader's own filters of the page, and a form that saves the current one. */
export async function savedFilters(
  { db }: Console,
  view: ConsoleView,
  page: FilteredPage,
): Promise<Html | string> {
  const { session, preferences } = view;
  const reading = db
    .selectFrom('console.saved_filter')
    .select(['name', 'query'])
    .where('operator', '=', session ? filterOwner(session.holder) : '')
    .where('page', '=', page)
    .orderBy('name');
  const filters = await fromDatabase(reading.execute());
  const here = normalizeQuery(preferences.path);
  if (filters.length === 0 && here === '') return '';
  const current = filters.find(({ query }) => query === here);
  return html`<div class="saved">
    ${
      filters.length > 0 &&
      tabs(
        view.t(texts.saved),
        `${page}?${here}`,
        filters.map(({ name, query }) => [`${page}?${query}`, name]),
      )
    }
    ${current ? one(view, { page, name: current.name }) : here === '' ? '' : saveForm(view, { page, query: here })}
  </div>`;
}

function one(view: ConsoleView, { page, name }: { page: string; name: string }): Html {
  return html`<form method="post" action="/saved-filters">
    ${formToken(view)}${hiddenField('page', page)}${hiddenField('name', name)}<button
      class="button quiet small"
      type="submit"
      name="forget"
      value="1"
    >
      ${view.t(texts.forget)}
    </button>
  </form>`;
}

function saveForm(view: ConsoleView, { page, query }: { page: string; query: string }): Html {
  const { t } = view;
  return html`<details>
    <summary>${t(texts.save)}</summary>
    <form class="row" method="post" action="/saved-filters">
      ${formToken(view)}${hiddenField('page', page)}${hiddenField('query', query)}<label
        for="saved-name"
        >${t(common.name)}</label
      ><input id="saved-name" name="name" required maxlength="40" autocomplete="off" /><button
        class="button small"
        type="submit"
      >
        ${t(common.save)}
      </button>
    </form>
  </details>`;
}
