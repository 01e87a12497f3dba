import { shownStatuses } from '#shared/domain/operation/state.ts';
import type { HitField } from '#projections/operations/finding/find.ts';
import { findingTexts, foundByColumn } from '#projections/operations/finding/texts.ts';
import { operationFilterFields } from '../../frame/operation-filter.ts';
import {
  decodeOperationCursor,
  listOperations,
  type OperationPage,
} from '#projections/operations/query.ts';
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
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import { exportButton } from '../export-button.ts';
import type { PageContent } from '../../frame/pages.ts';
import { answerPoll, isPoll, isSame, liveList, hashRows } from '../live.ts';
import { renderOperationsTable } from '../../frame/operations-table.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { savedFilters } from '../saved-filters.ts';
import { readShopNames, type ShopNames } from '../shops/choices.ts';
import { bankLabel } from '#shared/domain/methods/index.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { readConsoleFilter, parseOperationFilter, type ConsoleOperationFilter } from './filter.ts';
import { searchShops } from './search.ts';

const texts = {
  none: {
    ru: 'Операций ещё нет. Создайте магазин с маршрутами и ключом: первая операция появится здесь.',
    en: 'There are no operations yet. Set up a shop with routes and a key: the first operation will appear here.',
  },
  overpaid: { ru: 'пришло намного больше ожидаемого', en: 'much more money than expected' },
} as const satisfies Record<string, Words>;

export async function consoleOperationsPage(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent | Response> {
  const view = consoleView(c);
  const { t } = view;
  const filter = readConsoleFilter(c.req.query());
  const { q, cursor, ...narrowed } = filter;
  const page = q === undefined ? await readPage(console, view, filter) : undefined;
  const tag = page ? hashRows(page.operations) : '';
  if (isPoll(c) && (!page || isSame(c, tag))) return c.body(null, 204);
  const shops = await readShopNames(console, view, filter.shop);
  const isNarrowed = Object.values(filter).some((value) => value !== undefined);
  const list =
    page &&
    shownList(view, shops, {
      rows: page.operations.map((row) => ({ row })),
      empty: t(isNarrowed ? common.nothingMatches : texts.none),
    });
  if (isPoll(c) && list) return answerPoll(c, tag, list);
  const found = q === undefined ? undefined : await search(c, console, { view, filter, shops, q });
  if (found instanceof Response) return found;
  // An older page stays as it is.
  const listed = list && html`${cursor === undefined ? liveList(view, tag, list) : list}`;
  const saved = await savedFilters(console, view, '/operations');
  const asFile = exportButton(view, 'operations', { q, ...narrowed });
  return {
    title: t(common.operations),
    body: html`${heading(t(common.operations), asFile, timesIn(view))}${saved}${filters(view, filter, shops)}
    ${found ?? listed ?? notice('warning', t(findingTexts.tooLong))}${page && pager(view, page.nextCursor, page.previousCursor)}`,
  };
}

/** Undefined if it takes too long. @throws Problem invalid_request for an invalid cursor */
async function readPage(
  { db }: Console,
  { zone }: ConsoleView,
  filter: ConsoleOperationFilter,
): Promise<OperationPage | undefined> {
  const cursor = readCursor(filter.cursor, decodeOperationCursor);
  const page = await readSnapshot(db, (snapshot) =>
    listOperations(snapshot, {
      filter: parseOperationFilter(filter, zone),
      cursor,
      limit: pageSize,
    }),
  );
  return page === 'too_long' ? undefined : page;
}

/** What the search finds, or where a single operation or shop leads. */
async function search(
  c: ConsoleContext,
  console: Console,
  {
    view,
    filter,
    q,
    shops,
  }: { view: ConsoleView; filter: ConsoleOperationFilter; q: string; shops: ShopNames },
): Promise<Html | Response | undefined> {
  const { t } = view;
  const result = await searchShops(c, console, { q, filter, shopsNamed: shops.named });
  if (result === 'too_long') return undefined;
  const { operations, shopId, more, isPartlyCompared } = result;
  const [only, ...others] = operations;
  if (only?.by === 'operation_id' && others.length === 0)
    return c.redirect(`/operations/${only.row.operation_id}`, 303);
  if (!only && shopId !== undefined) return c.redirect(`/shops/${shopId}`, 303);
  const named = shops.named(q);
  return html`${isPartlyCompared && notice('info', t(findingTexts.compared))}${more && notice('info', t(findingTexts.more))}
  ${named.length > 0 && html`<p>${t(common.shops)}: ${named.map((id) => html`<a href="/operations?shop=${id}">${shops.nameOf(id)}</a> `)}</p>`}
  ${shownList(view, shops, { rows: operations, empty: t(findingTexts.notFound) })}`;
}

type OperationListRow = { row: OperationRow; by?: HitField };

const shownList = (
  view: ConsoleView,
  shops: ShopNames,
  { rows, empty }: { rows: readonly OperationListRow[]; empty: string },
): Html =>
  renderOperationsTable(view, {
    rows,
    empty,
    bank: ({ row: { bankname: code, bankname_details: name } }) =>
      code === null
        ? ''
        : html` <span class="muted">${bankLabel(view.language, { code, name })}</span>`,
    afterMethod: [
      {
        name: common.shop,
        cell: ({ row: { shop_id: id } }) =>
          html`<a href="/shops/${id}">${shops.nameOf(id) ?? shortId(id)}</a>`,
      },
    ],
    last: foundByColumn(view, rows),
  });

function filters(view: ConsoleView, filter: ConsoleOperationFilter, shops: ShopNames): Html {
  const { q, cursor: _, ...values } = filter;
  const name = view.t(common.shop);
  const fields = html`${q !== undefined && hiddenField('q', q)}
  ${select({ name: 'shop', label: name, value: values.shop, choices: shops.choices })}
  ${select({
    name: 'attention',
    label: view.t(common.needsAttention),
    value: values.attention,
    choices: [
      { value: '', text: view.t(common.any) },
      { value: 'overpaid', text: view.t(texts.overpaid) },
    ],
  })}
  ${operationFilterFields(view, values, ['creating', ...shownStatuses])}`;
  return filterForm(view, { action: '/operations', filter: values, fields });
}
