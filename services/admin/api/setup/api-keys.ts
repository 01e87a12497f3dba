import type { Hono } from 'hono';
import { issueApiKey, revokeApiKey } from '#shared/domain/shop/decide.ts';
import { readKeyUses } from '#shared/application/directory/key-use.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { hashApiKey, newApiKey, newId } from '#shared/platform/ids.ts';
import { originOf, type AdminEnv } from '../../authentication.ts';
import type { Dependencies } from '../../dependencies.ts';
import { apiKeyBody } from './bodies.ts';
import { fromStore } from '../../store.ts';
import { commandShop, pathId, readShop } from './change.ts';

export function registerApiKeys(app: Hono<AdminEnv>, { store, directory }: Dependencies): void {
  app.post('/admin/v1/shops/:shop_id/api-keys', async (c) => {
    const shopId = pathId(c.req.param('shop_id'));
    const { label } = validate(apiKeyBody, await readJson(c));
    const apiKey = newApiKey();
    const key = { keyId: newId(), keyHash: hashApiKey(apiKey), label, hint: apiKey.slice(-4) };
    await commandShop(store, {
      shopId,
      decide: (state) => issueApiKey(state, key),
      origin: originOf(c),
      apiKey: { key_id: key.keyId, key_hash: key.keyHash },
    });
    // Read back: the log's own time is what every later list shows.
    const { apiKeys } = await readShop(store, shopId);
    const createdAt = apiKeys.find(({ keyId }) => keyId === key.keyId)?.createdAt;
    // The only time that the key is shown: no cache may store it.
    return c.json({ key_id: key.keyId, api_key: apiKey, label, created_at: createdAt }, 201, {
      'cache-control': 'no-store',
    });
  });

  app.get('/admin/v1/shops/:shop_id/api-keys', async (c) => {
    const shop = await readShop(store, pathId(c.req.param('shop_id')));
    const uses = await fromStore(
      readKeyUses(
        store,
        shop.apiKeys.map(({ keyId }) => keyId),
      ),
    );
    const keys = shop.apiKeys.map(({ keyId, label, hint, createdAt, revokedAt }) => ({
      key_id: keyId,
      label,
      hint,
      created_at: createdAt,
      // To within the few minutes in which a process notes it once.
      last_used_at: uses.get(keyId) ?? null,
      revoked_at: revokedAt ?? null,
    }));
    return c.json({ api_keys: keys });
  });

  app.delete('/admin/v1/api-keys/:key_id', async (c) => {
    const keyId = pathId(c.req.param('key_id'));
    const shopId = await fromStore(directory.shopIdOfKey(keyId));
    if (shopId === undefined) throw new Problem('not_found');
    await commandShop(store, {
      shopId,
      decide: (state) => revokeApiKey(state, keyId),
      origin: originOf(c),
    });
    return c.body(null, 204);
  });
}
