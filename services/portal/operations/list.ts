import { shownStatuses } from '#projections/operations/of-shop.ts';
import type { Hono } from 'hono';
import { postUnpostedEnds } from '#projections/operations/post-ends.ts';
import { decodeCursor, listOperations } from '#projections/operations/query.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import {
  at,
  filterForm,
  heading,
  input,
  pager,
  shortId,
  table,
  under,
  timesIn,
} from '#shared/application/pages/components.ts';
import { operationFields } from '#shared/application/pages/operation-filter.ts';
import { amountsOf, operationBadge, typeNames } from '#shared/application/pages/names.ts';
import { common, type Words } from '#shared/application/pages/words.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { invalidCursor } from '#shared/platform/http/cursor.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { endsIn, viewOf, type Portal, type PortalEnv, type View } from '../env.ts';
import { exportButton } from '../export-button.ts';
import { show } from '../frame.ts';
import { readFilter, type Filter } from './filter.ts';

const texts = {
  title: { ru: 'Операции', en: 'Operations' },
  client: { ru: 'Клиент', en: 'Client' },
  empty: {
    ru: 'По этим фильтрам ничего не найдено. Сбросьте их или расширьте даты.',
    en: 'Nothing matches these filters. Reset them, or widen the dates.',
  },
  none: {
    ru: 'Операций ещё нет: первая появится здесь.',
    en: 'There are no operations yet: the first one will appear here.',
  },
  tooLong: {
    ru: 'Поиск занял слишком много времени. Ограничьте даты или повторите.',
    en: 'The search took too long. Narrow the dates, or try again.',
  },
} as const satisfies Record<string, Words>;

const pageSize = 50;

export function registerOperationsList(app: Hono<PortalEnv>, portal: Portal): void {
  app.get('/operations', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const { asked, filter } = readFilter(c);
    const after = c.req.query('cursor');
    const cursor = after === undefined ? undefined : decodeCursor(after);
    if (after !== undefined && !cursor) throw invalidCursor();
    const page = await readSnapshot(portal.db, (db) =>
      listOperations(db, { filter, cursor, limit: pageSize }),
    );
    if (page !== 'too_long') await postUnpostedEnds(endsIn(portal), endedOf(page.operations));
    const isNarrowed = Object.values(asked).some((value) => value !== undefined);
    const list =
      page === 'too_long'
        ? notice('warning', t(texts.tooLong))
        : html`${operationsTable(view, page.operations, t(isNarrowed ? texts.empty : texts.none))}${pager(view, page.nextCursor)}`;
    return show(c, portal, {
      title: t(texts.title),
      section: 'operations',
      body: html`${heading(t(texts.title), exportButton(view, 'operations', asked), timesIn(view))}${filters(view, asked)}${list}`,
    });
  });
}

const endedOf = (rows: readonly OperationRow[]): string[] =>
  rows.flatMap((row) => (row.ended_at ? row.operation_id : []));

function operationsTable(view: View, rows: readonly OperationRow[], empty: string): Html {
  const { t } = view;
  return table({
    caption: t(texts.title),
    columns: [
      { name: t(common.operationId) },
      { name: t(common.amount), amount: true },
      { name: t(common.status), wide: true },
      { name: t(common.type) },
      { name: t(common.method) },
      { name: t(common.merchantOperationId) },
      { name: t(texts.client) },
      { name: t(common.created), wide: true },
    ],
    rows: rows.map((row) => [
      under(shortId(row.operation_id, `/operations/${row.operation_id}`), at(view, row.created_at)),
      under(amountsOf(view, row), operationBadge(view, row)),
      operationBadge(view, row),
      t(typeNames[row.type]),
      html`<code class="plain">${row.method}</code>`,
      html`<span class="clip" title="${row.merchant_operation_id}"
        >${row.merchant_operation_id}</span
      >`,
      html`<span class="clip" title="${row.client_id}">${row.client_id}</span>`,
      at(view, row.created_at),
    ]),
    empty,
  });
}

function filters(view: View, filter: Filter): Html {
  const label = view.t(common.merchantOperationId);
  const fields = html`${input({ name: 'q', label, value: filter.q })}
  ${operationFields(view, filter, shownStatuses)}`;
  return filterForm(view, { action: '/operations', asked: filter, fields });
}
