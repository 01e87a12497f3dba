import {
  decodeActivityCursor,
  listActivity,
  type ActivityPage,
  type ActivityRow,
} from '#projections/operators/activity.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { readCursor } from '../../api/query.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { resolutionNames } from '../actions/suspense.ts';
import { decisionNames } from '../actions/review.ts';
import {
  at,
  filterForm,
  heading,
  input,
  lastFields,
  pager,
  pageSize,
  select,
  shortId,
  renderTable,
  timesIn,
} from '../../frame/components.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import { exportButton } from '../export-button.ts';
import type { PageContent } from '../../frame/pages.ts';
import { answerPoll, isPoll, isSame, liveList, hashRows } from '../live.ts';
import { savedFilters } from '../saved-filters.ts';
import { readShopNames, type ShopNames } from '../shops/choices.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { readActivityFilter, parseActivityFilter, type ActivityQuery } from './filter.ts';
import { kindName, kindNames } from './names.ts';

const texts = {
  title: { ru: 'Действия', en: 'Activity' },
  about: {
    ru: 'Кто из операторов что сделал и когда, как это записано в журнале событий.',
    en: 'Which operator did what, and when, from the event log.',
  },
  what: { ru: 'Что сделано', en: 'What' },
  operator: { ru: 'Оператор', en: 'Operator' },
  subject: { ru: 'Что изменено', en: 'About' },
  empty: {
    ru: 'По этим фильтрам действий нет.',
    en: 'No actions match these filters.',
  },
} as const satisfies Record<string, Words>;

/** GET /activity: the same list as GET /admin/v1/activity. */
export async function activityPage(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent | Response> {
  const view = consoleView(c);
  const { t } = view;
  const filter = readActivityFilter(c.req.query());
  const page = await readPage(console, view, filter);
  const tag = hashRows(page.actions);
  if (isPoll(c) && isSame(c, tag)) return c.body(null, 204);
  const shops = await readShopNames(console, view, filter.shop);
  const list = activityTable(view, shops, page.actions);
  if (isPoll(c)) return answerPoll(c, tag, list);
  const { cursor, ...narrowed } = filter;
  const asFile = exportButton(view, 'activity', narrowed);
  const saved = await savedFilters(console, view, '/activity');
  return {
    title: t(texts.title),
    body: html`${heading(t(texts.title), asFile, html`${t(texts.about)} ${timesIn(view)}`)}
    ${saved}${filters(view, filter, shops)}
    ${cursor === undefined ? liveList(view, tag, list) : list}${pager(view, page.nextCursor)}`,
  };
}

/** @throws Problem invalid_request for an invalid cursor; not_ready */
async function readPage(
  { db }: Console,
  { zone }: ConsoleView,
  filter: ActivityQuery,
): Promise<ActivityPage> {
  const cursor = readCursor(filter.cursor, decodeActivityCursor);
  return fromDatabase(
    listActivity(db, { filter: parseActivityFilter(filter, zone), cursor, limit: pageSize }),
  );
}

function filters(view: ConsoleView, filter: ActivityQuery, shops: ShopNames): Html {
  const { cursor: _, ...values } = filter;
  const { t } = view;
  const kinds = Object.entries(kindNames).map(([value, words]) => ({ value, text: t(words) }));
  const fields = html`${input({ name: 'operator', label: t(texts.operator), value: values.operator })}
  ${select({ name: 'kind', label: t(texts.what), value: values.kind, choices: [{ value: '', text: t(common.any) }, ...kinds] })}
  ${select({ name: 'shop', label: t(common.shop), value: values.shop, choices: shops.choices })}
  ${lastFields(view, values, '/activity')}`;
  return filterForm(view, { action: '/activity', filter: values, fields });
}

function activityTable(view: ConsoleView, shops: ShopNames, actions: readonly ActivityRow[]): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(texts.title),
    columns: [
      common.when,
      texts.operator,
      texts.what,
      texts.subject,
      { amount: common.amount },
      common.shop,
      common.token,
    ],
    keys: actions.map(({ position, action }) => `${position} ${action}`),
    rows: actions.map((row) => [
      at(view, row.done_at),
      html`<strong>${row.actor.replace(/^operator:/, '')}</strong>`,
      renderAction(view, row),
      renderSubject(row),
      row.amount === null ? '' : formatAmount(view.language, row.amount, row.currency ?? ''),
      row.shop_id === null
        ? '—'
        : html`<a href="/shops/${row.shop_id}"
            >${shops.nameOf(row.shop_id) ?? shortId(row.shop_id)}</a
          >`,
      row.token_id === null ? '—' : shortId(row.token_id),
    ]),
    empty: t(texts.empty),
  });
}

const outcomeNames: Readonly<Record<string, Words>> = { ...resolutionNames, ...decisionNames };

function renderAction({ t }: ConsoleView, { action, outcome }: ActivityRow): Html | string {
  const name = kindName(action);
  const what = name ? t(name) : html`<code class="plain">${action}</code>`;
  const decided = outcome === null ? undefined : outcomeNames[outcome];
  return decided ? html`${what}: ${t(decided)}` : html`${what}`;
}

function renderSubject({ operation_id: operation, subject, action }: ActivityRow): Html | string {
  if (operation !== null) return shortId(operation, `/operations/${operation}`);
  if (subject === null) return '';
  if (action.startsWith('ProviderAccount')) return html`<code class="plain">${subject}</code>`;
  if (!action.startsWith('Statement')) return shortId(subject);
  const path = subject.split('/').map(encodeURIComponent).join('/');
  return html`<a class="nowrap" href="/statements/${path}">${subject}</a>`;
}
