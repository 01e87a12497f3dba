import type { Context, Hono } from 'hono';
import { refuseEndpointUrl } from '#shared/application/webhooks/endpoint-settings.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import { rotateShopSecret } from '#shared/application/shops/shop-secrets.ts';
import {
  addWebhookEndpoint,
  changeWebhookEndpoint,
  deleteWebhookEndpoint,
} from '#shared/application/shops/webhook-endpoints.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { parseBody } from '../../limits/bodies.ts';
import { forScope } from '../../scopes.ts';
import { shopOrigin } from '../../origin.ts';
import { endpointChangeSchema, newEndpointSchema } from '#shared/api/bodies/webhook-endpoints.ts';
import { forbiddenScopeFields } from '#shared/application/scope-fields.ts';

const rules = { unknownFields: forbiddenScopeFields };
const path = '/v1/webhook-endpoints';

/** Where a shop's webhooks go (R14.17): the endpoints of the key's shop alone. */
export function registerWebhookEndpoints(
  app: Hono<MerchantEnv>,
  { store, allowPrivate }: MerchantDependencies,
): void {
  app.post(
    path,
    forScope('all', async (c) => {
      const { types, ...body } = validate(newEndpointSchema, parseBody(c), rules);
      refuseEndpointUrl(body.url, { allowPrivate });
      const added = await addWebhookEndpoint(store, {
        ...by(c),
        ...body,
        ...(types && { types: [...new Set(types)] }),
      });
      return c.json({ ...view(added), secret: added.secret }, 201);
    }),
  );

  app.get(
    path,
    forScope('all', (c) => c.json({ webhook_endpoints: c.get('shop').endpoints.map(view) })),
  );

  app.get(
    `${path}/:endpoint_id`,
    forScope('all', (c) => c.json(view(find(c)))),
  );

  app.patch(
    `${path}/:endpoint_id`,
    forScope('all', async (c) => {
      const { types, ...body } = validate(endpointChangeSchema, parseBody(c), rules);
      const enabling = body.enabled && body.url === undefined ? find(c) : undefined;
      const url = enabling?.enabled === false ? enabling.url : body.url;
      if (url !== undefined) refuseEndpointUrl(url, { allowPrivate });
      const change = { ...body, types: types && [...new Set(types)] };
      return c.json(view(await changeWebhookEndpoint(store, { ...of(c), change })));
    }),
  );

  app.delete(
    `${path}/:endpoint_id`,
    forScope('all', async (c) => {
      await deleteWebhookEndpoint(store, of(c));
      return c.body(null, 204);
    }),
  );

  app.post(
    `${path}/:endpoint_id/rotate-secret`,
    forScope('all', async (c) => {
      const secret = await rotateShopSecret(store, of(c));
      return c.json({ ...view(find(c)), secret });
    }),
  );
}

const by = (c: Context<MerchantEnv>) => ({ shopId: c.get('shop').shopId, origin: shopOrigin(c) });

const of = (c: Context<MerchantEnv>) => ({
  ...by(c),
  endpointId: readPathId(c.req.param('endpoint_id')),
});

/** @throws Problem not_found also for another shop's */
function find(c: Context<MerchantEnv>): WebhookEndpoint {
  const endpoint = endpointIn(c.get('shop'), readPathId(c.req.param('endpoint_id')));
  if (!endpoint) throw new Problem('not_found');
  return endpoint;
}

function view({ endpointId, url, types, enabled, createdAt, ...more }: WebhookEndpoint) {
  return {
    endpoint_id: endpointId,
    url,
    types: types ?? webhookTypes,
    description: more.description ?? null,
    enabled,
    disabled_reason: more.disabledReason ?? null,
    created_at: createdAt,
  };
}
