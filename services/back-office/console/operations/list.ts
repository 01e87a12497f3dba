import { shownStatuses } from '#shared/domain/operation/state.ts';
import {
  findOperations,
  searchTimeoutMs,
  type FoundBy,
} from '#projections/operations/finding/find.ts';
import { findingTexts, foundByColumn } from '#projections/operations/finding/texts.ts';
import { operationFields } from '../../frame/operation-filter.ts';
import { decodeCursor, listOperations, type OperationPage } from '#projections/operations/query.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { readCursor } from '../../api/query.ts';
import {
  filterForm,
  heading,
  hiddenField,
  pager,
  pageSize,
  select,
  shortId,
  timesIn,
} from '../../frame/components.ts';
import { viewOf, type Console, type View, type ConsoleApp, type ConsoleContext } from '../env.ts';
import { exportButton } from '../export-button.ts';
import { show } from '../frame.ts';
import { answerPoll, isPoll, isSame, liveList, tagOf } from '../live.ts';
import { operationsTable } from '../../frame/operations-table.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { savedFilters } from '../saved-filters.ts';
import { readShopNames, type ShopNames } from '../shops/choices.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { readFilter, toOperationFilter, type Filter } from './filter.ts';

const texts = {
  none: {
    ru: 'Операций ещё нет. Создайте магазин с маршрутами и ключом: первая операция появится здесь.',
    en: 'There are no operations yet. Set up a shop with routes and a key: the first operation will appear here.',
  },
} as const satisfies Record<string, Words>;

export function registerOperationsList(app: ConsoleApp, console: Console): void {
  app.get('/operations', async (c) => {
    const view = viewOf(c);
    const filter = readFilter(c.req.query());
    if (isPoll(c)) return polled(c, console, { view, filter });
    const { t } = view;
    const [shops, saved] = await Promise.all([
      readShopNames(console, view, filter.shop),
      savedFilters(console, view, '/operations'),
    ]);
    const { q, cursor: _, ...narrowed } = filter;
    // Search results can't be exported.
    const asFile = q === undefined ? exportButton(view, 'operations', narrowed) : '';
    const top = html`${heading(t(common.operations), asFile, timesIn(view))}${saved}${filters(view, filter, shops)}`;
    const answer = async (body: Html | string) =>
      show(c, console, {
        title: t(common.operations),
        section: 'operations',
        body: html`${top}${body}`,
      });

    if (q !== undefined) return searched(c, console, { view, filter, shops, answer, q });
    const page = await readPage(console, { view, filter });
    if (page === 'too_long') return answer(notice('warning', t(findingTexts.tooLong)));
    const list = listOf(view, shops, { page, filter });
    // An older page stays as it is.
    const shown = filter.cursor === undefined ? liveList(view, tagOf(page.operations), list) : list;
    return answer(html`${shown}${pager(view, page.nextCursor)}`);
  });
}

type Wanted = { view: View; filter: Filter };

/** @throws Problem invalid_request for an invalid cursor */
async function readPage(
  { db }: Console,
  { view, filter }: Wanted,
): Promise<OperationPage | 'too_long'> {
  const cursor = readCursor(filter.cursor, decodeCursor);
  return readSnapshot(db, (snapshot) =>
    listOperations(snapshot, {
      filter: toOperationFilter(filter, view.zone),
      cursor,
      limit: pageSize,
    }),
  );
}

function listOf(
  view: View,
  shops: ShopNames,
  { page, filter }: { page: OperationPage; filter: Filter },
): Html {
  const isNarrowed = Object.values(filter).some((value) => value !== undefined);
  const rows = page.operations.map((row) => ({ row }));
  return shownList(view, shops, {
    rows,
    empty: view.t(isNarrowed ? common.nothingMatches : texts.none),
  });
}

async function polled(
  c: ConsoleContext,
  console: Console,
  { view, filter }: Wanted,
): Promise<Response> {
  const page = await readPage(console, { view, filter });
  if (page === 'too_long' || filter.q !== undefined) return c.body(null, 204);
  const tag = tagOf(page.operations);
  if (isSame(c, tag)) return c.body(null, 204);
  return answerPoll(c, tag, listOf(view, await readShopNames(console, view), { page, filter }));
}

type ListRequest = {
  view: View;
  filter: Filter;
  q: string;
  shops: ShopNames;
  answer(body: Html | string): Promise<Response>;
};

async function searched(
  c: ConsoleContext,
  console: Console,
  { view, filter, q, shops, answer }: ListRequest,
): Promise<Response> {
  const { t, zone } = view;
  const operator = c.get('session').holder;
  const result = await findOperations(console, {
    line: q,
    filter: toOperationFilter(filter, zone),
    zone,
    nowMs: console.now(),
    saw: (operationId) => console.accessLog.saw(operator, { operationId, shown: 'operation' }),
    signal: AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(searchTimeoutMs)]),
    shopsNamed: shops.named,
  });
  if (result === 'too_long') return answer(notice('warning', t(findingTexts.tooLong)));
  const { operations, shopId, more, compared } = result;
  const [only, ...others] = operations;
  if (only?.by === 'operation_id' && others.length === 0)
    return c.redirect(`/operations/${only.row.operation_id}`, 303);
  if (!only && shopId !== undefined) return c.redirect(`/shops/${shopId}`, 303);
  const named = shops.named(q);
  return answer(
    html`${compared ? notice('info', t(findingTexts.compared)) : ''}${more ? notice('info', t(findingTexts.more)) : ''}
    ${named.length === 0 ? '' : html`<p>${t(common.shops)}: ${named.map((id) => html`<a href="/operations?shop=${id}">${shops.nameOf(id)}</a> `)}</p>`}
    ${shownList(view, shops, { rows: operations, empty: t(findingTexts.notFound) })}`,
  );
}

type Listed = { row: OperationRow; by?: FoundBy };

const shownList = (
  view: View,
  shops: ShopNames,
  { rows, empty }: { rows: readonly Listed[]; empty: string },
): Html =>
  operationsTable(view, {
    rows,
    empty,
    bank: ({ row: { bankname, bankname_details: details } }) =>
      bankname === null ? '' : html` <span class="muted">${details ?? bankname}</span>`,
    afterMethod: [
      {
        name: common.shop,
        cell: ({ row: { shop_id: id } }) =>
          html`<a href="/shops/${id}">${shops.nameOf(id) ?? shortId(id)}</a>`,
      },
    ],
    last: foundByColumn(view, rows),
  });

function filters(view: View, filter: Filter, shops: ShopNames): Html {
  const { q, cursor: _, ...values } = filter;
  const name = view.t(common.shop);
  const fields = html`${q === undefined ? '' : hiddenField('q', q)}
  ${select({ name: 'shop', label: name, value: values.shop, choices: shops.choices })}
  ${operationFields(view, values, ['creating', ...shownStatuses])}`;
  return filterForm(view, { action: '/operations', filter: values, fields });
}
