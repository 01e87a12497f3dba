import { decodeSuspenseCursor, listSuspense } from '#projections/suspense/query.ts';
import type { SuspenseRow } from '#projections/suspense/table.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { readCursor, shopIdParameter } from '../../api/query.ts';
import { resolveLate, suspenseMoneyNames, resolutionName } from '../actions/suspense.ts';
import {
  at,
  heading,
  pager,
  pageSize,
  select,
  shortId,
  renderTable,
  timesIn,
} from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { readShopNames, type ShopNames } from '../shops/choices.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

const texts = {
  about: {
    ru: 'Деньги и статусы, о которых провайдер сообщил после завершения операции, в том числе вернувшиеся выплаты и чарджбэки. До решения они не меняют баланс магазина.',
    en: 'Money and statuses that a provider reported after the operation had finished, including returned payouts and charged-back payments. They do not change the shop’s balance until you decide.',
  },
  open: { ru: 'Ждёт решения', en: 'Needs a decision' },
  resolved: { ru: 'Решено', en: 'Resolved' },
  what: { ru: 'Что сообщил провайдер', en: 'Reported' },
  resolve: { ru: 'Решить', en: 'Resolve' },
  received: { ru: 'Получено', en: 'Received' },
  outcome: { ru: 'Решение', en: 'Resolution' },
  beyond: { ru: 'сверх суммы перевода:', en: 'exceeds the transfer by' },
  late: { ru: 'статус', en: 'status' },
  overcharged: { ru: 'выплата дороже условленного', en: 'payout cost more than agreed' },
  corrected: { ru: 'перевод исправлен', en: 'transfer corrected' },
  returnChanged: { ru: 'возврат изменён', en: 'return changed' },
  empty: {
    ru: 'Ничего не ждёт решения. Деньги, пришедшие после завершения операции, появятся здесь сами.',
    en: 'Nothing needs a decision. Late money appears here automatically.',
  },
} as const satisfies Record<string, Words>;

const statuses = ['open', 'resolved'] as const;

export async function suspensePage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const { shop: shopText, status: wanted, cursor: text } = c.req.query();
  const shop = shopIdParameter.safeParse(shopText).data;
  const shops = await readShopNames(console, view, shop);
  const status = statuses.find((each) => each === wanted);
  const cursor = readCursor(text, decodeSuspenseCursor);
  const page = await fromDatabase(
    listSuspense(console.db, { shopId: shop, status, cursor, limit: pageSize }),
  );
  return {
    title: t(common.suspense),
    body: html`${heading(t(common.suspense), '', html`${t(texts.about)} ${timesIn(view)}`)}
      <form class="filters" method="get" action="/suspense">
        ${select({
          name: 'status',
          label: t(common.status),
          value: status,
          choices: [
            { value: '', text: t(common.any) },
            ...statuses.map((value) => ({ value, text: t(texts[value]) })),
          ],
        })}
        ${select({ name: 'shop', label: t(common.shop), value: shop, choices: shops.choices })}
        <div class="row"><button class="button" type="submit">${t(common.show)}</button></div>
      </form>
      ${renderTable(view, {
        caption: t(common.suspense),
        columns: [
          texts.received,
          { amount: texts.what },
          common.status,
          common.operationId,
          common.shop,
          common.provider,
          texts.outcome,
        ],
        rows: page.entries.map((row) => renderRow(view, shops, row)),
        empty: t(texts.empty),
      })}${pager(view, page.nextCursor)}`,
  };
}

const money = ({ language }: ConsoleView, amount: string | null, currency: string | null): string =>
  amount !== null && currency !== null ? formatAmount(language, amount, currency) : '?';

/** More was returned than received: an operator has to investigate. */
const renderBeyond = (
  view: ConsoleView,
  { beyond_amount: beyond, currency }: SuspenseRow,
): Html | string =>
  beyond === null
    ? ''
    : html`<br /><span class="muted"
          >${view.t(texts.beyond)} ${money(view, beyond, currency)}</span
        >`;

/** The counted and the reported amount. */
const renderChange = (view: ConsoleView, row: SuspenseRow): Html | string =>
  row.counted_amount === null
    ? ''
    : html`<br /><span class="muted"
          >${money(view, row.counted_amount, row.currency)} →
          ${money(view, row.reported_amount, row.currency)}</span
        >`;

function changeName({ kind, of_leg_id: ofLegId }: SuspenseRow) {
  if (kind === 'overcharge') return texts.overcharged;
  return ofLegId === null ? texts.corrected : texts.returnChanged;
}

function renderRow(view: ConsoleView, shops: ShopNames, row: SuspenseRow): (Html | string)[] {
  const { t, language } = view;
  const name = suspenseMoneyNames[row.kind];
  const what =
    row.amount !== null && row.currency !== null
      ? html`${name && html`${t(name)}: `}${formatAmount(language, row.amount, row.currency)}${renderChange(view, row)}${renderBeyond(view, row)}`
      : row.kind === 'late_correction' || row.kind === 'overcharge'
        ? html`${t(changeName(row))}: ${money(view, row.reported_amount, row.currency)} ≠
          ${money(view, row.counted_amount, row.currency)}`
        : html`${t(texts.late)}: <code>${row.reported_status ?? '?'}</code> ≠
            <code>${row.operation_status ?? '?'}</code>`;
  const state =
    row.status === 'open' ? badge('warning', t(texts.open)) : badge('success', t(texts.resolved));
  return [
    at(view, row.received_at),
    what,
    state,
    shortId(row.operation_id, `/operations/${row.operation_id}`),
    html`<a href="/shops/${row.shop_id}">${shops.nameOf(row.shop_id) ?? shortId(row.shop_id)}</a>`,
    row.provider,
    row.resolution === null
      ? action(view, resolveLate, {
          params: { entry_id: row.entry_id },
          text: texts.resolve,
          tone: 'primary',
        })
      : html`${t(resolutionName(row.kind, row.resolution))}<br /><span class="muted"
            >${row.resolved_by?.replace(/^operator:/, '') ?? ''} · ${row.note ?? ''}</span
          >`,
  ];
}
