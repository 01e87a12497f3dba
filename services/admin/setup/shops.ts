import type { Hono } from 'hono';
import { randomBytes } from 'node:crypto';
import { changeShop, createShop } from '#shared/domain/shop/decide.ts';
import { merchantStream } from '#shared/domain/shop/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { readJson } from '#shared/http/body.ts';
import { Problem } from '#shared/http/problems.ts';
import { validate } from '#shared/http/validate.ts';
import { newId } from '#shared/ids.ts';
import { originOf, type AdminEnv } from '../authentication.ts';
import type { Dependencies } from '../dependencies.ts';
import { shopBody, shopPatchBody, shopRules } from './bodies.ts';
import { fromStore } from '../store.ts';
import { commandShop, pathId } from './change.ts';

export function registerShops(app: Hono<AdminEnv>, { store }: Dependencies): void {
  app.post('/admin/v1/shops', async (c) => {
    const { merchant_id: merchantId, ...settings } = validate(shopBody, await readJson(c), shopRules);
    const [merchant] = await fromStore(store.read(merchantStream(pathId(merchantId)), { maxCount: 1 }));
    if (!merchant) throw new Problem('not_found', { detail: 'there is no such merchant' });
    const shopId = newId();
    const operationIdSecret = randomBytes(32).toString('hex');
    const { shop } = await commandShop(store, {
      shopId,
      decide: (state) => createShop(state, { shopId, merchantId, operationIdSecret, settings }),
      origin: originOf(c),
    });
    return c.json(viewShop(shop), 201);
  });

  app.patch('/admin/v1/shops/:shop_id', async (c) => {
    const shopId = pathId(c.req.param('shop_id'));
    const change = validate(shopPatchBody, await readJson(c), shopRules);
    const { shop } = await commandShop(store, {
      shopId,
      decide: (state) => changeShop(state, change),
      origin: originOf(c),
    });
    return c.json(viewShop(shop));
  });
}

/** A shop as operators see it: never its secret. */
function viewShop({ shopId, merchantId, settings }: Shop) {
  return { shop_id: shopId, merchant_id: merchantId, ...settings };
}
