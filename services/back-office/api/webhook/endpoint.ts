import { z } from 'zod';
import { configureFirstEndpoint } from '#shared/application/shops/webhook-endpoints.ts';
import { rotateShopSecret } from '#shared/application/shops/shop-secrets.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { endpointUrl, refuseEndpointUrl } from '#shared/application/webhooks/endpoint-settings.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';

const webhookBody = z.strictObject({
  url: endpointUrl,
  enabled: z.boolean().default(true),
});

export function registerWebhook(app: AdminApp, { store, allowPrivate }: AdminDependencies): void {
  const path = '/admin/v1/shops/:shop_id/webhook';

  app.put(path, async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const { url, enabled } = validateWebhook(await readJson(c), { allowPrivate });
    const by = { shopId, origin: operatorOrigin(c) };
    const newSecret = await configureFirstEndpoint(store, { ...by, url, enabled });
    return c.json({ url, ...(newSecret !== undefined && { secret: newSecret }), enabled });
  });

  app.get(path, async (c) => {
    const endpoint = endpointIn(await readShop(store, readPathId(c.req.param('shop_id'))));
    if (!endpoint) throw new Problem('not_found', { detail: 'the shop has no webhook yet' });
    const { url, enabled, disabledReason } = endpoint;
    return c.json({ url, enabled, disabled_reason: disabledReason ?? null });
  });

  app.post(`${path}/rotate-secret`, async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const secret = await rotateShopSecret(store, { shopId, origin: operatorOrigin(c) });
    return c.json({ secret });
  });
}

/** Where a shop's webhooks are to go. @throws Problem invalid_request */
export function validateWebhook(body: unknown, { allowPrivate }: { allowPrivate: boolean }) {
  const endpoint = validate(webhookBody, body);
  refuseEndpointUrl(endpoint.url, { allowPrivate });
  return endpoint;
}
