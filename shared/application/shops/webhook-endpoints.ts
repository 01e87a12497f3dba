import {
  addEndpoint,
  changeEndpoint,
  configureWebhook,
  deleteEndpoint,
  endpointIn,
  type EndpointChange,
} from '#shared/domain/shop/decide.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { newId } from '#shared/platform/ids.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { commandShop, readShop } from '#shared/application/directory/command-shop.ts';

/** Commands on a shop's endpoints. Each throws as `commandShop` does. */

type By = { shopId: string; origin: Origin };
type NewEndpoint = {
  url: string;
  types?: readonly string[] | undefined;
  description?: string | undefined;
};

export async function addWebhookEndpoint(
  store: EventStore,
  { shopId, origin, ...settings }: By & NewEndpoint,
): Promise<WebhookEndpoint> {
  const endpoint = { endpointId: newId(), secret: newWebhookSecret(), ...settings };
  await commandShop(store, { shopId, decide: (state) => addEndpoint(state, endpoint), origin });
  // Read back: every later list shows the log's own time.
  return existing(endpointIn(await readShop(store, shopId), endpoint.endpointId));
}

/** An operator's setting of the first endpoint. Returns its secret if it is a new one. */
export async function configureFirstEndpoint(
  store: EventStore,
  { url, enabled, ...by }: By & { url: string; enabled: boolean },
): Promise<string | undefined> {
  const newSecret = newWebhookSecret();
  const newEndpointId = newId();
  const { shop } = await commandShop(store, {
    ...by,
    decide: (state) => configureWebhook(state, { url, enabled, newSecret, newEndpointId }),
  });
  return endpointIn(shop)?.secret === newSecret ? newSecret : undefined;
}

type Of = By & { endpointId: string };

export async function changeWebhookEndpoint(
  store: EventStore,
  { shopId, origin, endpointId, change }: Of & { change: EndpointChange },
): Promise<WebhookEndpoint> {
  const newSecret = newWebhookSecret();
  const { shop } = await commandShop(store, {
    shopId,
    decide: (state) => changeEndpoint(state, { endpointId, change, newSecret }),
    origin,
  });
  return existing(endpointIn(shop, endpointId));
}

export async function deleteWebhookEndpoint(
  store: EventStore,
  { shopId, origin, endpointId }: Of,
): Promise<void> {
  const decide = (state: Parameters<typeof deleteEndpoint>[0]) => deleteEndpoint(state, endpointId);
  await commandShop(store, { shopId, decide, origin });
}

function existing(endpoint: WebhookEndpoint | undefined): WebhookEndpoint {
  if (!endpoint) throw new Problem('not_found');
  return endpoint;
}
