import { listShops, type ListedShop } from '#projections/shops/query.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { z } from 'zod';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { readCursor } from '../../api/query.ts';
import {
  at,
  heading,
  pager,
  pageSize,
  shortId,
  renderTable,
  timesIn,
} from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { createMerchantAction, createShopAction } from '../actions/shops.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

const texts = {
  newShop: { ru: 'Новый магазин', en: 'New shop' },
  newMerchant: { ru: 'Новый мерчант', en: 'New merchant' },
  notSet: { ru: 'не задан', en: 'not set' },
  page: { ru: 'Платёжная страница', en: 'Payment page' },
  empty: {
    ru: 'Магазинов ещё нет. Создайте мерчанта, потом его первый магазин.',
    en: 'There are no shops yet. Create a merchant, then its first shop.',
  },
} as const satisfies Record<string, Words>;

export async function shopsPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const after = readCursor(c.req.query('cursor'), (text) => z.guid().safeParse(text).data);
  const page = await fromDatabase(listShops(console.db, { after, limit: pageSize }));
  const actions = html`${action(view, createMerchantAction, { text: texts.newMerchant })}${action(view, createShopAction, { text: texts.newShop, tone: 'primary' })}`;
  return {
    title: t(common.shops),
    body: html`${heading(t(common.shops), actions, timesIn(view))}${renderTable(view, {
      caption: t(common.shops),
      columns: [
        common.shop,
        common.merchant,
        { ru: 'Идентификатор', en: 'ID' },
        common.webhook,
        texts.page,
        common.created,
      ],
      rows: page.shops.map((shop) => renderRow(view, shop)),
      empty: t(texts.empty),
    })}${pager(view, page.next)}`,
  };
}

function renderRow(view: ConsoleView, shop: ListedShop): (Html | string)[] {
  const { t } = view;
  const webhook =
    shop.webhook_url === null
      ? badge('neutral', t(texts.notSet), 'slash')
      : shop.webhook_enabled
        ? badge('success', t(common.on))
        : badge('warning', t(common.off));
  return [
    html`<a href="/shops/${shop.shop_id}">${shop.name}</a>`,
    shop.merchant_name,
    shortId(shop.shop_id),
    webhook,
    t(shop.hosted_page ? common.yes : common.no),
    at(view, shop.created_at),
  ];
}
