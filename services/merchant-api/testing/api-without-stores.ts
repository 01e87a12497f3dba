import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { KeyLimits } from '#shared/domain/shop/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import { registerDocumentation } from '#services/documentation/routes.ts';
import { defaultStackUrls, type StackUrls } from '#services/documentation/stack-urls.ts';
import { createMerchantApi } from '../app.ts';
import type { MerchantDependencies } from '../dependencies.ts';

/**
 * The merchant API with one shop and no stores: access to a store fails, so any response here is
 * decided without them.
 */
export function createApiWithoutStores(
  settings: Partial<Shop['settings']> = {},
  limits: Pick<
    Parameters<typeof createMerchantApi>[0],
    | 'gateOptions'
    | 'inFlight'
    | 'incomingBodies'
    | 'uploads'
    | 'anonymousLimit'
    | 'trustedProxies'
    | 'now'
  > & { stackUrls?: StackUrls; keyLimits?: KeyLimits } = {},
) {
  const shop: Shop = {
    phase: 'created',
    revision: 0,
    shopId: 'shop-1',
    merchantId: 'merchant-1',
    operationIdSecret: 'ab'.repeat(32),
    settings: shopSettings(settings),
    apiKeys: [],
    routes: [],
    endpoints: [],
    deletedEndpointIds: [],
  };
  const cachedKey: Directory['cachedKey'] = (apiKey) =>
    /^key\d?$/.test(apiKey) ? { shop, keyId: apiKey, limits: limits.keyLimits ?? {} } : undefined;
  const directory: Pick<Directory, 'byApiKey' | 'cachedKey'> = {
    byApiKey: async (apiKey) => cachedKey(apiKey),
    cachedKey,
  };
  const api = createMerchantApi({
    directory,
    logger,
    metrics: createMetrics('test'),
    notReady: async () => undefined,
    acceptanceMs: 1_000,
    allowPrivate: false,
    links: createReceiptLinks({ baseUrl: 'http://gateway.test', secret: 'a-secret-of-the-links' }),
    documentation: (app: Parameters<typeof registerDocumentation>[0]) =>
      registerDocumentation(app, {
        stackUrls: limits.stackUrls ?? defaultStackUrls,
        trustedProxies: limits.trustedProxies ?? 0,
      }),
    ...limits,
  } as unknown as MerchantDependencies & Parameters<typeof createMerchantApi>[0]);

  /** `POST /v1/payment` with a key, unless the headers say otherwise. */
  const send = async (
    request: string,
    { headers = { 'x-api-key': 'key' }, body }: Partial<Sent> = {},
  ) => {
    const [method = 'GET', path = '/'] = request.split(' ');
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = { method, headers: { ...json, ...headers }, ...(body !== undefined && { body }) };
    const response = await api.request(path, init);
    const text = await response.text();
    const problem: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, problem };
  };
  return { shop, api, send };
}

type Sent = { headers: Record<string, string>; body: string };
