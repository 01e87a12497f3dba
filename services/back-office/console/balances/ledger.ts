import {
  accounts,
  decodeLedgerEvent,
  type LedgerAccount,
  type Entry,
} from '#shared/domain/ledger/events.ts';
import { currencies } from '#shared/domain/currencies.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { LedgerPosition } from '#shared/application/ledger/types.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import {
  renderActor,
  at,
  renderBalance,
  debtExplained,
  heading,
  pager,
  pageSize,
  shortId,
  renderTable,
  timesIn,
} from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { adjustBalance } from '../actions/adjust.ts';
import { readEntries, readMerchantIds } from '#projections/ledger/read-entries.ts';
import {
  convertedFrom,
  currencyTabs,
  renderMerchantId,
  formatSigned,
} from '../../frame/ledger-entries.ts';
import { eventName } from '../event-names.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import { exportButton } from '../export-button.ts';
import type { PageContent } from '../../frame/pages.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { ledgerTexts } from './page.ts';

const texts = {
  entry: { ru: 'Проводка', en: 'Entry' },
  why: { ru: 'Основание', en: 'Reason' },
  ended: { ru: 'Операция завершилась', en: 'The operation ended' },
  requested: { ru: 'Запрошена корректировка', en: 'An adjustment was requested' },
  change: { ru: 'Изменение', en: 'Change' },
  adjust: { ru: 'Корректировка', en: 'Adjust' },
  inconsistent: {
    ru: 'Последние проводки не сходятся: баланс не показывается, пока причина не найдена.',
    en: 'The latest entries do not add up: no balance is shown until the cause is found.',
  },
  empty: {
    ru: 'В этой валюте проводок нет.',
    en: 'There are no entries in this currency.',
  },
} as const satisfies Record<string, Words>;

const kindNames: Readonly<Record<Entry['kind'], Words>> = {
  credit: { ru: 'зачисление', en: 'credit' },
  reserve: { ru: 'резерв', en: 'reserve' },
  capture: { ru: 'списание резерва', en: 'capture' },
  release: { ru: 'снятие резерва', en: 'release' },
  adjustment: { ru: 'корректировка', en: 'adjustment' },
  suspense: { ru: 'невыясненная сумма', en: 'suspense' },
  resolution: { ru: 'решение', en: 'resolution' },
};

const accountNames: Readonly<Record<LedgerAccount, Words>> = {
  balance: { ru: 'баланс', en: 'balance' },
  reserved: { ru: 'в резерве', en: 'reserved' },
  commission: { ru: 'комиссия', en: 'commission' },
  provider: { ru: 'провайдер', en: 'provider' },
  suspense: { ru: 'невыясненная сумма', en: 'suspense' },
  external: { ru: 'внешний', en: 'external' },
};

/** A shop's ledger in one currency: the balance and each entry, from the log. */
export async function ledgerPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const { store, ledgers } = console;
  const { shopId, settings } = await readShop(store, readPathId(c.req.param('shop_id')));
  const currency = currencies.find((each) => each === c.req.param('currency'));
  if (currency === undefined) throw new Problem('not_found');
  const page = { cursor: c.req.query('cursor'), limit: pageSize };
  const [position, { events, nextCursor }] = await Promise.all([
    fromStore(ledgers.position(shopId, currency)),
    readEntries(store, { shopId, currency }, page),
  ]);
  const merchantIds = await readMerchantIds(console.db, events);
  const adjust = action(view, adjustBalance, {
    params: { shop_id: shopId },
    query: { currency },
    text: texts.adjust,
    tone: 'primary',
  });
  const asFile = exportButton(view, 'journal', { shop: shopId, currency });
  const title = `${settings.name}, ${currency}`;
  return {
    title,
    trail: [{ href: `/shops/${shopId}`, text: settings.name }],
    body: html`${heading(title, html`${asFile}${adjust}`, timesIn(view))}
      ${currencyTabs(view, `/shops/${shopId}/ledger`, currency)}
      ${positionTiles(view, position, currency)}
      <h2>${t(common.ledgerEntries)}</h2>
      ${renderEntries(view, events, { empty: t(texts.empty), merchantIds })}
      ${pager(view, nextCursor)}`,
  };
}

/** The balance, or a notice that the ledger is inconsistent. */
function positionTiles(view: ConsoleView, position: LedgerPosition, currency: string): Html {
  const { t, language } = view;
  const money = (amount: string) => formatAmount(language, amount, currency);
  return position.outcome === 'inconsistent'
    ? notice(
        'danger',
        html`<p>${t(texts.inconsistent)}</p>
          <p><code>${position.stream}</code> @ ${position.revision}</p>`,
      )
    : html`<ul class="tiles">
          <li class="tile">
            <span class="tile-value">${renderBalance(view, position.balance, currency)}</span
            ><span>${t(common.balance)}</span>
          </li>
          <li class="tile">
            <span class="tile-value">${money(position.reserved)}</span
            ><span>${t(common.reserved)}</span>
          </li>
          <li class="tile">
            <span class="tile-value">${money(position.currentMinus)}</span
            ><span>${t(ledgerTexts.debt)}</span>
          </li>
        </ul>
        ${debtExplained(view, [position])}`;
}

/**
 * Entries, with a column for each account that any of them moves. Amounts come first, so that a
 * phone shows them.
 */
export function renderEntries(
  view: ConsoleView,
  events: readonly StoredEvent[],
  { empty, merchantIds }: { empty: string; merchantIds: ReadonlyMap<string, string> },
): Html {
  const { t } = view;
  const entries = events.map((event) => ({ event, entry: decodeLedgerEvent(event).data }));
  const moved = accounts.filter(
    (account) =>
      account !== 'balance' &&
      entries.some(({ entry }) => entry.legs.some((leg) => leg.account === account)),
  );
  const change = (entry: Entry, account: LedgerAccount) => {
    const leg = entry.legs.find((each) => each.account === account);
    return leg ? formatSigned(view, leg.amount) : '';
  };
  return renderTable(view, {
    caption: t(common.ledgerEntries),
    columns: [
      { amount: '№' },
      texts.entry,
      { amount: texts.change },
      { amount: common.balance },
      ...moved.map((account) => ({ amount: accountNames[account] })),
      common.when,
      texts.why,
      common.merchantOperationId,
      common.who,
    ],
    rows: entries.map(({ event, entry }) => [
      html`<span title="${event.id}">${event.revision}</span>`,
      html`<span class="nowrap">${t(kindNames[entry.kind])}</span>`,
      change(entry, 'balance'),
      renderBalance(view, entry.balance_after, ''),
      ...moved.map((account) => change(entry, account)),
      at(view, event.created),
      renderReason(view, entry),
      renderMerchantId(entry, merchantIds),
      renderAuthor(entry, event.metadata.actor),
    ]),
    empty,
  });
}

/** The cause of the entry, and the amount that was converted for it. */
function renderReason(view: ConsoleView, entry: Entry): Html {
  const cause = html`<span class="nowrap">${causeName(view, entry)}</span>`;
  if (entry.kind === 'adjustment')
    return html`${cause}: <span class="clip" title="${entry.adjustment_id}">${entry.reason}</span>`;
  const more = entry.kind === 'resolution' ? html` <span class="muted">${entry.note}</span>` : '';
  return html`${cause}
  ${shortId(entry.operation_id, `/operations/${entry.operation_id}`)}${convertedFrom(view, entry)}${more}`;
}

/** The cause shown for old entries, which don't name theirs. */
const causeOfKind: Readonly<Record<Entry['kind'], string | undefined>> = {
  credit: undefined,
  capture: undefined,
  release: undefined,
  reserve: 'ReservationRequested',
  suspense: 'LateMoneyReceived',
  resolution: 'LateMoneyReceived',
  adjustment: undefined,
};

function causeName({ t }: ConsoleView, { kind, cause }: Entry): string {
  const event = eventName(cause ?? causeOfKind[kind] ?? '');
  return t(event ?? (kind === 'adjustment' ? texts.requested : texts.ended));
}

/** The operator or provider behind an entry; the service that posted it is irrelevant. */
function renderAuthor({ provider }: Entry, actor: string): Html | string {
  if (!actor.startsWith('service:')) return renderActor(actor);
  return provider === undefined ? '—' : renderActor(`provider:${provider}`);
}
