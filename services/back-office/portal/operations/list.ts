import type { HitField } from '#projections/operations/finding/find.ts';
import { findingTexts, foundByColumn } from '#projections/operations/finding/texts.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { postUnpostedEnds } from '#projections/operations/post-ends.ts';
import {
  decodeOperationCursor,
  listOperations,
  type OperationFilter,
} from '#projections/operations/query.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import {
  filterForm,
  heading,
  hiddenField,
  pager,
  pageSize,
  shortId,
  timesIn,
} from '../../frame/components.ts';
import { operationFilterFields } from '../../frame/operation-filter.ts';
import { clipped, renderOperationsTable } from '../../frame/operations-table.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { readCursor } from '#shared/platform/http/cursor.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { endsIn, portalView, type Portal, type PortalView, type PortalContext } from '../env.ts';
import { exportLink } from '../../frame/export-link.ts';
import type { PageContent } from '../../frame/pages.ts';
import { readPortalFilter, type PortalOperationFilter } from './filter.ts';
import { searchShop } from './search.ts';

const texts = {
  none: {
    ru: 'Операций ещё нет: первая появится здесь.',
    en: 'There are no operations yet: the first one will appear here.',
  },
  search: { ru: 'Поиск', en: 'Search' },
  file: { ru: 'Файл выплат', en: 'File of payouts' },
  find: { ru: 'Найти', en: 'Find' },
  example: { ru: 'Например: 1500 вчера', en: 'For example: 1500 yesterday' },
  searchHint: {
    ru: 'Сумма, день, номер операции или номер в магазине, клиент, последние 4 цифры карты или телефона, метаданные. Можно вместе. Имена получателей и файлов зашифрованы и не ищутся.',
    en: 'An amount, a day, an operation ID or merchant operation ID, a client, the last 4 digits of a card or phone, metadata. Also together. Names of recipients and files are encrypted and not searched.',
  },
} as const satisfies Record<string, Words>;

export async function portalOperationsPage(
  c: PortalContext,
  portal: Portal,
): Promise<PageContent | Response> {
  const view = portalView(c);
  const { t } = view;
  const { query, filter } = await readPortalFilter(c, portal);
  const { q } = query;
  const found = q === undefined ? undefined : await find(c, portal, { view, filter, q });
  if (found instanceof Response) return found;
  const list = found ?? (await listed(c, portal, { view, query, filter }));
  const asFile = exportLink(view, 'operations', query);
  return {
    title: t(common.operations),
    body: html`${heading(t(common.operations), asFile, timesIn(view))}${filters(view, query)}${list}`,
  };
}

type ListRequest = { view: PortalView; filter: OperationFilter & { shopId: string } };

/** @throws Problem invalid_request for an invalid cursor */
async function listed(
  c: PortalContext,
  portal: Portal,
  { view, query, filter }: ListRequest & { query: PortalOperationFilter },
): Promise<Html> {
  const { t } = view;
  const cursor = readCursor(c.req.query('cursor'), decodeOperationCursor);
  const page = await readSnapshot(portal.db, (db) =>
    listOperations(db, { filter, cursor, limit: pageSize }),
  );
  if (page === 'too_long') return notice('warning', t(findingTexts.tooLong));
  await postUnpostedEnds(endsIn(portal, portal.db), listEndedIds(page.operations));
  const isNarrowed = Object.values(query).some((value) => value !== undefined);
  const rows = page.operations.map((row) => ({ row }));
  return html`${shownList(view, rows, t(isNarrowed ? common.nothingMatches : texts.none))}${pager(view, page.nextCursor, page.previousCursor)}`;
}

/** Searches by what a payer can quote; an operation id redirects to its page. */
async function find(
  c: PortalContext,
  portal: Portal,
  { view, filter, q }: ListRequest & { q: string },
): Promise<Html | Response> {
  const { t } = view;
  const found = await searchShop(c, portal, { q, filter });
  if (found === 'too_long') return notice('warning', t(findingTexts.tooLong));
  const { operations, more, isPartlyCompared } = found;
  const [only, ...others] = operations;
  if (only?.by === 'operation_id' && others.length === 0)
    return c.redirect(`/operations/${only.row.operation_id}`, 303);
  const rows = operations.map(({ row }) => row);
  await postUnpostedEnds(endsIn(portal, portal.db), listEndedIds(rows));
  return html`${isPartlyCompared && notice('info', t(findingTexts.compared))}${more && notice('info', t(findingTexts.more))}
  ${shownList(view, operations, `${t(findingTexts.notFound)} ${t(findingTexts.names)}`)}`;
}

const listEndedIds = (rows: readonly OperationRow[]): string[] =>
  rows.flatMap((row) => (row.ended_at ? row.operation_id : []));

type OperationListRow = { row: OperationRow; by?: HitField };

const shownList = (view: PortalView, rows: readonly OperationListRow[], empty: string): Html =>
  renderOperationsTable(view, {
    rows,
    empty,
    afterId: [{ name: common.client, cell: ({ row }) => clipped(row.client_id) }],
    last: foundByColumn(view, rows),
  });

function filters(view: PortalView, filter: PortalOperationFilter): Html {
  const { q, ...values } = filter;
  const { file } = filter;
  const fields = html`${file && fileField(view, file)}${operationFilterFields(view, values, shownStatuses)}`;
  return filterForm(view, {
    action: '/operations',
    filter: values,
    fields,
    search: searchRow(view, q),
  });
}

const searchRow = ({ t }: PortalView, q: string | undefined): Html =>
  html`<div class="search">
    <label class="visually-hidden" for="f-q">${t(texts.search)}</label
    ><input
      id="f-q"
      name="q"
      type="search"
      value="${q ?? ''}"
      placeholder="${t(texts.example)}"
      aria-describedby="hint-q"
      maxlength="200"
      spellcheck="false"
    />
    <button class="button" type="submit">${t(texts.find)}</button>
    <p class="hint muted" id="hint-q">${t(texts.searchHint)}</p>
  </div>`;

/** The file whose payouts are listed; it stays when another filter changes. */
const fileField = ({ t }: PortalView, batchId: string): Html =>
  html`${hiddenField('file', batchId)}
    <div class="field">
      <strong class="hint">${t(texts.file)}</strong>
      ${shortId(batchId, `/payouts/${batchId}`)}
    </div>`;
