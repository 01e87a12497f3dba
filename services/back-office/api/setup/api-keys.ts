import { limitsIn, readApiKeyBody } from '#shared/application/directory/api-key-body.ts';
import { readKeyUses } from '#shared/application/directory/key-use.ts';
import { issueShopKey, revokeShopKey } from '#shared/application/shops/shop-secrets.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';

export function registerApiKeys(app: AdminApp, { store, directory }: AdminDependencies): void {
  app.post('/admin/v1/shops/:shop_id/api-keys', async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const body = readApiKeyBody(await readJson(c), Date.now());
    const { label } = body;
    const limits = limitsIn(body);
    const { keyId, apiKey, createdAt } = await issueShopKey(store, {
      shopId,
      label,
      limits,
      origin: operatorOrigin(c),
    });
    // The only time that the key is shown.
    const issued = { key_id: keyId, api_key: apiKey, label, ...limits, created_at: createdAt };
    return c.json(issued, 201);
  });

  app.get('/admin/v1/shops/:shop_id/api-keys', async (c) => {
    const shop = await readShop(store, readPathId(c.req.param('shop_id')));
    const uses = await fromStore(readKeyUses(store, shop.apiKeys));
    const keys = shop.apiKeys.map(({ keyId, label, hint, limits, createdAt, revokedAt }) => ({
      key_id: keyId,
      label,
      hint,
      ...limits,
      created_at: createdAt,
      // Accurate to a few minutes, as each process notes use only that often; null for a key
      // revoked long ago.
      last_used_at: uses.get(keyId) ?? null,
      revoked_at: revokedAt ?? null,
    }));
    return c.json({ api_keys: keys });
  });

  app.delete('/admin/v1/api-keys/:key_id', async (c) => {
    const keyId = readPathId(c.req.param('key_id'));
    const shopId = await fromStore(directory.shopIdOfKey(keyId));
    if (shopId === undefined) throw new Problem('not_found');
    await revokeShopKey(store, { shopId, keyId, origin: operatorOrigin(c) });
    return c.body(null, 204);
  });
}
