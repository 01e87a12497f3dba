import {
  findOperations,
  searchTimeoutMs,
  type FoundBy,
} from '#projections/operations/finding/find.ts';
import { findingTexts, foundByColumn } from '#projections/operations/finding/texts.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { postUnpostedEnds } from '#projections/operations/post-ends.ts';
import {
  decodeCursor,
  listOperations,
  type OperationFilter,
} from '#projections/operations/query.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { filterForm, heading, input, pager, pageSize, timesIn } from '../../frame/components.ts';
import { operationFields } from '../../frame/operation-filter.ts';
import { clipped, operationsTable } from '../../frame/operations-table.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { readCursor } from '#shared/platform/http/cursor.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import {
  endsIn,
  readerOf,
  viewOf,
  type Portal,
  type View,
  type PortalApp,
  type PortalContext,
} from '../env.ts';
import { exportLink } from '../../frame/export-link.ts';
import { show } from '../frame.ts';
import { readFilter, type Filter } from './filter.ts';

const texts = {
  none: {
    ru: 'Операций ещё нет: первая появится здесь.',
    en: 'There are no operations yet: the first one will appear here.',
  },
  search: { ru: 'Поиск', en: 'Search' },
  searchHint: {
    ru: 'Номер или его начало, клиент, сумма, *1234, день',
    en: 'An ID or its beginning, client, amount, *1234, day',
  },
} as const satisfies Record<string, Words>;

export function registerOperationsList(app: PortalApp, portal: Portal): void {
  app.get('/operations', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const { asked, filter } = readFilter(c);
    const { q } = asked;
    const found = q === undefined ? undefined : await find(c, portal, { view, filter, q });
    if (found instanceof Response) return found;
    const list = found ?? (await listed(c, portal, { view, asked, filter }));
    // Search results can't be exported.
    const asFile = q === undefined ? exportLink(view, 'operations', asked) : '';
    return show(c, portal, {
      title: t(common.operations),
      section: 'operations',
      body: html`${heading(t(common.operations), asFile, timesIn(view))}${filters(view, asked)}${list}`,
    });
  });
}

type Wanted = { view: View; filter: OperationFilter & { shopId: string } };

/** @throws Problem invalid_request for an invalid cursor */
async function listed(
  c: PortalContext,
  portal: Portal,
  { view, asked, filter }: Wanted & { asked: Filter },
): Promise<Html> {
  const { t } = view;
  const cursor = readCursor(c.req.query('cursor'), decodeCursor);
  const page = await readSnapshot(portal.db, (db) =>
    listOperations(db, { filter, cursor, limit: pageSize }),
  );
  if (page === 'too_long') return notice('warning', t(findingTexts.tooLong));
  await postUnpostedEnds(endsIn(portal, portal.db), endedOf(page.operations));
  const isNarrowed = Object.values(asked).some((value) => value !== undefined);
  const rows = page.operations.map((row) => ({ row }));
  return html`${shownList(view, rows, t(isNarrowed ? common.nothingMatches : texts.none))}${pager(view, page.nextCursor)}`;
}

/** Searches by what a payer can quote; an operation id redirects to its page. */
async function find(
  c: PortalContext,
  portal: Portal,
  { view, filter, q }: Wanted & { q: string },
): Promise<Html | Response> {
  const { t, zone } = view;
  const found = await findOperations(portal, {
    line: q,
    filter,
    zone,
    nowMs: portal.now(),
    saw: (operationId) => portal.accessLog.saw(readerOf(c), { operationId, shown: 'operation' }),
    signal: AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(searchTimeoutMs)]),
    shopsNamed: () => [],
  });
  if (found === 'too_long') return notice('warning', t(findingTexts.tooLong));
  const { operations, more, compared } = found;
  const [only, ...others] = operations;
  if (only?.by === 'operation_id' && others.length === 0)
    return c.redirect(`/operations/${only.row.operation_id}`, 303);
  const rows = operations.map(({ row }) => row);
  await postUnpostedEnds(endsIn(portal, portal.db), endedOf(rows));
  return html`${compared && notice('info', t(findingTexts.compared))}${more && notice('info', t(findingTexts.more))}
  ${shownList(view, operations, t(findingTexts.notFound))}`;
}

const endedOf = (rows: readonly OperationRow[]): string[] =>
  rows.flatMap((row) => (row.ended_at ? row.operation_id : []));

type Listed = { row: OperationRow; by?: FoundBy };

const shownList = (view: View, rows: readonly Listed[], empty: string): Html =>
  operationsTable(view, {
    rows,
    empty,
    afterId: [{ name: common.client, cell: ({ row }) => clipped(row.client_id) }],
    last: foundByColumn(view, rows),
  });

function filters(view: View, filter: Filter): Html {
  const label = view.t(texts.search);
  const placeholder = view.t(texts.searchHint);
  const fields = html`${input({ name: 'q', label, value: filter.q, type: 'search', placeholder })}
  ${operationFields(view, filter, shownStatuses)}`;
  return filterForm(view, { action: '/operations', filter, fields });
}
