import type { Hono } from 'hono';
import { decodeCursor, listOperations } from '#projections/operations/query.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { methods } from '#shared/domain/methods/index.ts';
import { formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { invalidCursor } from '../../api/query.ts';
import { at, heading, input, pager, select, shortId, table } from '../components.ts';
import { viewOf, type Console, type ConsoleEnv, type View } from '../env.ts';
import { exportButton } from '../exports/button.ts';
import { show } from '../frame.ts';
import { operationBadge, statusNames, typeNames } from '../names.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { readShopNames, type ShopNames } from '../shops/choices.ts';
import { common, type Words } from '../words.ts';
import { dayAfter, dayOf, readFilter, toOperationFilter, type Filter } from './filter.ts';
import { search, type FoundBy } from './search.ts';

const texts = {
  title: { ru: 'Операции', en: 'Operations' },
  search: { ru: 'Поиск по идентификатору', en: 'Find by identifier' },
  searchHint: {
    ru: 'operation_id, номер у мерчанта, клиент, ссылка провайдера, перевод, чек или вебхук',
    en: 'operation_id, merchant’s ID, client, provider reference, transfer, receipt or webhook',
  },
  find: { ru: 'Найти', en: 'Find' },
  filters: { ru: 'Фильтры', en: 'Filters' },
  merchantId: { ru: 'Номер у мерчанта', en: 'Merchant’s ID' },
  foundBy: { ru: 'Найдено по', en: 'Found by' },
  empty: {
    ru: 'По этим фильтрам ничего не найдено. Сбросьте их или расширьте даты.',
    en: 'Nothing matches these filters. Reset them, or widen the dates.',
  },
  none: {
    ru: 'Операций ещё нет. Создайте магазин с маршрутами и ключом: первая операция появится здесь.',
    en: 'There are no operations yet. Set up a shop with routes and a key: the first operation will appear here.',
  },
  notFound: {
    ru: 'Ничего не найдено. Ищется точное совпадение: проверьте, что идентификатор скопирован целиком.',
    en: 'Nothing found. Identifiers are matched exactly: check that yours is complete.',
  },
  incomplete: {
    ru: 'Клиенты и ссылки провайдеров просмотрены не полностью: ограничьте даты.',
    en: 'Not all clients and provider references were searched: narrow the dates.',
  },
  tooLong: {
    ru: 'Поиск занял слишком много времени. Ограничьте даты или повторите.',
    en: 'The search took too long. Narrow the dates, or try again.',
  },
} as const satisfies Record<string, Words>;

const pageSize = 50;

export function registerOperationsList(app: Hono<ConsoleEnv>, console: Console): void {
  app.get('/operations', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const filter = readFilter(c.req.query());
    const shops = await readShopNames(console, view, filter.shop);
    const { q, cursor: _, ...narrowed } = filter;
    // What a search finds is no list of its own.
    const asFile = q === undefined ? exportButton(view, 'operations', narrowed) : '';
    const top = html`${heading(t(texts.title), asFile, t(common.times))}${filters(view, filter, shops)}`;
    const answer = async (body: Html | string) =>
      show(c, console, { title: t(texts.title), section: 'operations', body: html`${top}${body}` });

    if (filter.q !== undefined) {
      const found = await search(console.db, filter.q, {
        from: dayOf(filter.from),
        before: dayAfter(filter.to),
      });
      if (found === 'too_long') return answer(notice('warning', t(texts.tooLong)));
      const [only, ...more] = found.operations;
      if (only?.by === 'operation_id' && more.length === 0)
        return c.redirect(`/operations/${only.row.operation_id}`, 303);
      if (!only && found.shopId !== undefined) return c.redirect(`/shops/${found.shopId}`, 303);
      const rows = found.operations.map(({ row, by }) => ({ row, by }));
      const said = found.incomplete ? notice('warning', t(texts.incomplete)) : '';
      return answer(html`${said}${operationsTable(view, shops, { rows, empty: t(texts.notFound) })}`);
    }
    const cursor = filter.cursor === undefined ? undefined : decodeCursor(filter.cursor);
    if (filter.cursor !== undefined && !cursor) throw invalidCursor();
    const page = await readSnapshot(console.db, (db) =>
      listOperations(db, {
        filter: toOperationFilter(filter),
        cursor,
        limit: pageSize,
      }),
    );
    if (page === 'too_long') return answer(notice('warning', t(texts.tooLong)));
    const rows = page.operations.map((row) => ({ row }));
    const isNarrowed = Object.values(filter).some((value) => value !== undefined);
    const empty = t(isNarrowed ? texts.empty : texts.none);
    return answer(html`${operationsTable(view, shops, { rows, empty })}${pager(view, page.nextCursor)}`);
  });
}

type Listed = { row: OperationRow; by?: FoundBy };

/** Operations, each with a link to its page. */
export function operationsTable(
  view: View,
  shops: ShopNames,
  { rows, empty }: { rows: readonly Listed[]; empty: string },
): Html {
  const { t, language } = view;
  const found = rows.some(({ by }) => by !== undefined);
  return table({
    caption: t(texts.title),
    columns: [
      { name: t(common.operation) },
      { name: t(common.status) },
      { name: t(common.type) },
      { name: t(common.amount), amount: true },
      { name: t(common.method) },
      { name: t(common.shop) },
      { name: t(texts.merchantId) },
      { name: t(common.created) },
      ...(found ? [{ name: t(texts.foundBy) }] : []),
    ],
    rows: rows.map(({ row, by }) => [
      shortId(row.operation_id, `/operations/${row.operation_id}`),
      operationBadge(view, row),
      t(typeNames[row.type]),
      amountOf(language, row),
      html`<code class="plain">${row.method}</code
        >${row.bankname === null ? '' : html` <span class="muted">${row.bankname_details ?? row.bankname}</span>`}`,
      html`<a href="/shops/${row.shop_id}">${shops.nameOf(row.shop_id) ?? shortId(row.shop_id)}</a>`,
      html`<span class="clip" title="${row.merchant_operation_id}">${row.merchant_operation_id}</span>`,
      at(view, row.created_at),
      ...(found ? [html`<code class="plain">${by ?? ''}</code>`] : []),
    ]),
    empty,
  });
}

/** The expected amount, and the actual one where it differs. */
function amountOf(language: View['language'], row: OperationRow): Html {
  const actual =
    row.ended_at !== null && row.actual_amount !== row.expected_amount && Number(row.actual_amount) > 0;
  return html`${formatAmount(language, row.expected_amount, row.currency)}${actual ? html`<br /><span class="muted">${formatAmount(language, row.actual_amount, row.currency)}</span>` : ''}`;
}

function filters(view: View, filter: Filter, shops: ShopNames): Html {
  const { t } = view;
  const any = { value: '', text: t(common.any) };
  return html`<form
      class="filters"
      method="get"
      action="/operations"
      role="search"
      aria-label="${t(texts.search)}"
    >
      <div class="field grow">
        <label for="f-q">${t(texts.search)}</label>
        <div class="joined">
          <input
            id="f-q"
            name="q"
            type="search"
            value="${filter.q ?? ''}"
            aria-describedby="f-q-hint"
            spellcheck="false"
            autocomplete="off"
          /><button class="button primary" type="submit">${t(texts.find)}</button>
        </div>
        <p class="hint" id="f-q-hint">${t(texts.searchHint)}</p>
      </div>
    </form>
    <form class="filters" method="get" action="/operations" aria-label="${t(texts.filters)}">
      ${select({ name: 'shop', label: t(common.shop), value: filter.shop, choices: shops.choices })}
      ${select({
        name: 'type',
        label: t(common.type),
        value: filter.type,
        choices: [
          any,
          ...(['payment', 'payout'] as const).map((value) => ({ value, text: t(typeNames[value]) })),
        ],
      })}
      ${select({
        name: 'status',
        label: t(common.status),
        value: filter.status,
        choices: [any, ...Object.entries(statusNames).map(([value, words]) => ({ value, text: t(words) }))],
      })}
      ${select({
        name: 'method',
        label: t(common.method),
        value: filter.method,
        choices: [any, ...Object.keys(methods).map((value) => ({ value, text: value }))],
      })}
      ${input({ name: 'from', label: t(common.from), value: filter.from, type: 'date' })}
      ${input({ name: 'to', label: t({ ru: 'По', en: 'To' }), value: filter.to, type: 'date' })}
      <div class="row">
        <button class="button" type="submit">${t(common.show)}</button
        ><a class="button quiet" href="/operations">${t(common.reset)}</a>
      </div>
    </form>`;
}
