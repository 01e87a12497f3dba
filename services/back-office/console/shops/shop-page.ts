import { readKeyUses } from '#shared/application/directory/key-use.ts';
import type { Route } from '#shared/domain/routing.ts';
import {
  sandboxShare,
  type ApiKey,
  type Shop,
  type WebhookEndpoint,
} from '#shared/domain/shop/state.ts';
import { testModeBadge } from '../../frame/test-mode-badge.ts';
import { decodeMerchantEvent, merchantStream } from '#shared/domain/shop/events.ts';
import { keyBadge, keyLabel } from '../../frame/api-keys.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { methods } from '#shared/domain/methods/index.ts';
import { hasDailyLimit, type DailyUse } from '#shared/domain/daily-limits.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { findUsedToday } from '../../api/setup/route-candidates.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import {
  at,
  count,
  heading,
  pairs,
  section,
  renderTable,
  timesIn,
  wholeId,
} from '../../frame/components.ts';
import { action } from '../action-link.ts';
import type { Action } from '../actions/action.ts';
import { issueKeyAction, revokeKeyAction } from '../actions/keys.ts';
import { changeShopAction } from '../actions/shops.ts';
import { pingWebhook, rotateSecretAction, setWebhook } from '../actions/webhooks.ts';
import { replaceRoutesAction } from '../routes/action.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { disabledReasonWords, typeNames } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { membersSection } from './members.ts';
import { settingPairs } from './setting-pairs.ts';
import { shopTexts as texts } from './texts.ts';
import { commissionText, routeTarget } from '../routes/difference.ts';

export async function shopPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const { store } = console;
  const shop = await readShop(store, readPathId(c.req.param('shop_id')));
  const [[merchant], uses, members, used] = await Promise.all([
    fromStore(store.read(merchantStream(shop.merchantId), { maxCount: 1 })),
    fromStore(readKeyUses(store, shop.apiKeys)),
    console.members.of(shop.shopId),
    findUsedToday(console.db, shop),
  ]);
  const { name } = shop.settings;
  const merchantName = merchant ? decodeMerchantEvent(merchant).data.name : shop.merchantId;
  const links = html`<a class="button small" href="/operations?shop=${shop.shopId}"
      >${t(common.operations)}</a
    ><a class="button small" href="/shops/${shop.shopId}/messages">${t(common.deliveries)}</a
    ><a class="button small" href="/shops/${shop.shopId}/ledger/RUB">${t(texts.books)}</a>`;
  return {
    title: name,
    body: html`${heading(name, links, html`${sandboxShare(shop) !== 'none' && html`${testModeBadge(view)} `}${merchantName}. ${timesIn(view)}`)}
      <div class="columns">
        <div class="stack">
          ${keysSection(view, shop, uses, console.now())}${webhookSection(view, shop, console.now())}
        </div>
        <div class="stack">${settingsSection(view, shop)}</div>
      </div>
      ${routesSection(view, shop, used)} ${membersSection(view, shop.shopId, members)}`,
  };
}

function settingsSection(view: ConsoleView, { shopId, merchantId, settings }: Shop): Html {
  const { t } = view;
  const edit = action(view, changeShopAction, { params: { shop_id: shopId }, text: texts.edit });
  const about = pairs([
    [t(texts.shopId), wholeId(view, shopId, t(texts.shopId))],
    [t(texts.merchantId), wholeId(view, merchantId, t(texts.merchantId))],
    ...settingPairs(view, settings),
  ]);
  return section(t(texts.settings), html`<div class="card">${about}</div>`, edit);
}

function keysSection(
  view: ConsoleView,
  { shopId, apiKeys }: Shop,
  uses: ReadonlyMap<string, string>,
  nowMs: number,
): Html {
  const { t } = view;
  const issue = action(view, issueKeyAction, {
    params: { shop_id: shopId },
    text: texts.issue,
    tone: 'primary',
  });
  const renderKeyRow = ({ keyId, hint, createdAt, revokedAt, ...key }: ApiKey) => [
    keyLabel(view, key),
    html`<code class="nowrap">…${hint}</code>`,
    keyBadge(view, { revokedAt, ...key }, nowMs),
    at(view, createdAt),
    at(view, uses.get(keyId)),
    revokedAt === undefined
      ? action(view, revokeKeyAction, {
          params: { shop_id: shopId, key_id: keyId },
          text: common.revoke,
          tone: 'danger',
        })
      : '',
  ];
  const keys = renderTable(view, {
    caption: t(common.apiKeys),
    columns: [
      common.label,
      common.key,
      common.status,
      common.created,
      texts.lastUsed,
      common.actions,
    ],
    rows: apiKeys.toReversed().map(renderKeyRow),
    empty: t(texts.noKeys),
  });
  return section(t(common.apiKeys), keys, issue);
}

function routesSection(view: ConsoleView, { shopId, routes }: Shop, used: UsedBy): Html {
  const { t } = view;
  const edit = action(view, replaceRoutesAction, {
    params: { shop_id: shopId },
    text: texts.edit,
    tone: routes.length === 0 ? 'primary' : '',
  });
  const tryOut = html`<a class="button small" href="/shops/${shopId}/routes/try"
    >${t(texts.tryOut)}</a
  >`;
  const listed = renderTable(view, {
    caption: t(texts.routes),
    columns: [
      { amount: common.priority },
      common.type,
      common.method,
      common.provider,
      { amount: common.commission },
      common.amount,
      texts.special,
    ],
    rows: routes
      .toSorted(
        (left, right) => routeOrder(left) - routeOrder(right) || left.priority - right.priority,
      )
      .map((route) => [
        route.priority,
        t(typeNames[route.type]),
        html`<code class="plain">${route.method}</code>`,
        routeTarget(route),
        commissionText(view.language, route),
        html`<span class="nowrap">${renderLimits(view, route)}</span
          >${usedToday(view, route, used)}`,
        renderSpecials(view, route),
      ]),
    empty: t(texts.noRoutes),
  });
  return section(t(texts.routes), listed, html`${tryOut}${edit}`);
}

function renderLimits(
  { t, language }: ConsoleView,
  { min_amount: min, max_amount: max, currency }: Route,
): string {
  if (min === undefined && max === undefined) return t(texts.anyAmount);
  const from = min === undefined ? '' : `≥ ${formatAmount(language, min, currency)}`;
  return [from, max === undefined ? '' : `≤ ${formatAmount(language, max, currency)}`]
    .filter(Boolean)
    .join(' ');
}

type UsedBy = ((route: Route) => DailyUse) | undefined;

/** What went by a route today, of what may. */
function usedToday(view: ConsoleView, route: Route, usedBy: UsedBy): Html | string {
  const { t, language } = view;
  if (!hasDailyLimit(route)) return '';
  const used = usedBy?.(route);
  const { daily_count: most, daily_amount: limit, currency } = route;
  const money = (amount: string) => formatAmount(language, amount, currency);
  const limitTexts = [
    ...(most === undefined
      ? []
      : [`${used ? count(view, used.count) : '?'} / ${count(view, most)}`]),
    ...(limit === undefined ? [] : [`${used ? money(used.amount) : '?'} / ${money(limit)}`]),
  ];
  return html`<br /><span class="small muted">${t(texts.today)}</span>${limitTexts.map(
      (each) => html`<br /><span class="small nowrap">${each}</span>`,
    )}`;
}

/** Payments before payouts, method by method. */
const routeOrder = ({ type, method }: Route): number =>
  (type === 'payment' ? 0 : 100) + Object.keys(methods).indexOf(method);

function renderSpecials(
  { t }: ConsoleView,
  { requires_receipt: receipt, conversion, options }: Route,
): Html {
  return html`${receipt && badge('info', t(texts.receipt), 'upload')}${conversion && html` <span class="nowrap">→ ${conversion.settlement_currency}</span>`}${options && Object.keys(options).length > 0 && html` <code class="plain">${Object.keys(options).join(', ')}</code>`}`;
}

function webhookSection(view: ConsoleView, { shopId, endpoints }: Shop, nowMs: number): Html {
  const [webhook, ...others] = endpoints;
  const { t } = view;
  const to = (of: Action, text: keyof typeof texts) =>
    action(view, of, { params: { shop_id: shopId }, text: texts[text] });
  const set = to(setWebhook, webhook ? 'edit' : 'setUp');
  if (!webhook)
    return section(t(common.webhook), html`<div class="empty">${t(texts.noWebhook)}</div>`, set);
  const actions = html`${set}${to(rotateSecretAction, 'rotate')}${to(pingWebhook, 'ping')}`;
  return section(
    t(common.webhook),
    html`${endpointCard(view, webhook, nowMs)}
    ${others.length > 0 && html`<p class="muted">${t(texts.otherEndpoints)}</p>`}
    ${others.map((endpoint) => endpointCard(view, endpoint, nowMs))}`,
    actions,
  );
}

function endpointCard(view: ConsoleView, endpoint: WebhookEndpoint, nowMs: number): Html {
  const { t } = view;
  const { url, enabled, disabledReason, failingSince, types, description, previous } = endpoint;
  const about = pairs([
    ['URL', html`<code>${url}</code>`],
    [
      t(common.status),
      enabled
        ? badge(failingSince === undefined ? 'success' : 'warning', t(common.on))
        : html`${badge('warning', t(common.off))}
            <span class="muted"
              >${disabledReason && disabledReasonWords(view, disabledReason)}</span
            >`,
    ],
    [t(texts.failing), failingSince && at(view, failingSince)],
    [t(texts.types), types?.join(', ') ?? t(common.all)],
    [t(common.label), description],
    ...previous
      .filter(({ validUntil }) => Date.parse(validUntil) > nowMs)
      .map(({ validUntil }) => [t(texts.previous), at(view, validUntil)] as const),
  ]);
  return html`<div class="card">${about}</div>`;
}
