import { z } from 'zod';
import { listShops, type ListedShop } from '#projections/shops/query.ts';
import { addShop, changeShopSettings } from '#shared/application/shops/set-up.ts';
import { settingCells } from '#shared/domain/shop/settings/columns.ts';
import { forbiddenSettings, viewSettings } from '#shared/domain/shop/settings/derive.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { limitParameter, readQuery, shopIdParameter } from '../query.ts';
import { shopBody, shopPatchBody } from './bodies.ts';
import { shopRules } from './setting-bodies.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';

const shopsQuery = z.strictObject({
  merchant_id: shopIdParameter,
  cursor: z.guid('not a next_cursor of an earlier page').optional(),
  limit: limitParameter,
});

export function registerShops(app: AdminApp, { store, db, allowPrivate }: AdminDependencies): void {
  const rules = shopRules({ allowPrivate });
  app.post('/admin/v1/shops', async (c) => {
    const { merchant_id: merchantId, ...settings } = validate(shopBody, await readJson(c), rules);
    const by = { merchantId: readPathId(merchantId), origin: operatorOrigin(c) };
    return c.json(viewShop(await addShop(store, { ...by, settings })), 201);
  });

  // The list comes from the read models; the shop itself is read from the log.
  app.get('/admin/v1/shops', async (c) => {
    const { merchant_id: merchantId, cursor, limit } = readQuery(c, shopsQuery);
    const page = await fromDatabase(listShops(db, { merchantId, after: cursor, limit }));
    return c.json({ shops: page.shops.map(viewRow), next_cursor: page.next });
  });

  app.get('/admin/v1/shops/:shop_id', async (c) =>
    c.json(viewShop(await readShop(store, readPathId(c.req.param('shop_id'))))),
  );

  app.patch('/admin/v1/shops/:shop_id', async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const change = validate(shopPatchBody, await readJson(c), rules);
    const { role } = c.get('operator');
    const forbidden = forbiddenSettings(Object.keys(change), (allowed) => allowed.includes(role));
    if (forbidden.length > 0)
      throw new Problem('forbidden', { detail: `another role changes ${forbidden.join(', ')}` });
    const by = { shopId, origin: operatorOrigin(c) };
    return c.json(viewShop(await changeShopSettings(store, { ...by, change })));
  });
}

/** A shop as operators see it: never its secret. */
const viewShop = ({ shopId, merchantId, settings }: Shop) => ({
  shop_id: shopId,
  merchant_id: merchantId,
  ...viewSettings(settings),
});

const viewRow = (row: ListedShop) => ({
  shop_id: row.shop_id,
  merchant_id: row.merchant_id,
  merchant_name: row.merchant_name,
  ...settingCells(row),
  webhook_url: row.webhook_url,
  webhook_enabled: row.webhook_enabled,
  created_at: row.created_at.toISOString(),
});
