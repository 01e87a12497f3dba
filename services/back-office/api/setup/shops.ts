import { z } from 'zod';
import { listShops, type ListedShop } from '#projections/shops/query.ts';
import { addShop, changeShopSettings } from '#shared/application/shops/set-up.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { limitParameter, readQuery, shopIdParameter } from '../query.ts';
import { shopBody, shopPatchBody, shopRules } from './bodies.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';

const shopsQuery = z.strictObject({
  merchant_id: shopIdParameter,
  cursor: z.guid('not a next_cursor of an earlier page').optional(),
  limit: limitParameter,
});

export function registerShops(app: AdminApp, { store, db, allowPrivate }: AdminDependencies): void {
  const rules = shopRules({ allowPrivate });
  app.post('/admin/v1/shops', async (c) => {
    const { merchant_id: merchantId, ...input } = validate(shopBody, await readJson(c), rules);
    const { display_name, support, return_url, ...others } = input;
    const { payout_batches_need_second_member: secondMember, ...rest } = others;
    const settings = {
      ...rest,
      display_name: display_name ?? undefined,
      support: support ?? undefined,
      return_url: return_url ?? undefined,
      payout_batches_need_second_member: secondMember || undefined,
    };
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
    const by = { shopId, origin: operatorOrigin(c) };
    return c.json(viewShop(await changeShopSettings(store, { ...by, change })));
  });
}

/** A shop as operators see it: never its secret. */
function viewShop({ shopId, merchantId, settings }: Shop) {
  const { display_name = null, support = null, return_url = null, ...others } = settings;
  const { payout_batches_need_second_member = false, ...rest } = others;
  const forPayers = { display_name, support, return_url };
  const all = { ...rest, ...forPayers, payout_batches_need_second_member };
  return { shop_id: shopId, merchant_id: merchantId, ...all };
}

const viewRow = (row: ListedShop) => ({
  shop_id: row.shop_id,
  merchant_id: row.merchant_id,
  merchant_name: row.merchant_name,
  name: row.name,
  hosted_page: row.hosted_page,
  overdraft_limits: row.overdraft_limits,
  webhook_url: row.webhook_url,
  display_name: row.display_name,
  support: row.support,
  return_url: row.return_url,
  payout_batches_need_second_member: row.payout_batches_need_second_member,
  webhook_enabled: row.webhook_enabled,
  created_at: row.created_at.toISOString(),
});
