import { createAdminClient } from '#infra/start/admin-client.ts';

/** An operator at the admin API of a stack. @throws what is refused */
export type TestOperator = (
  method: string,
  path: string,
  body: object,
) => Promise<Record<string, unknown>>;

type Stack = { readonly urls: { readonly admin: string }; readonly adminToken: string };

export function createTestOperator({ urls, adminToken }: Stack): TestOperator {
  const admin = createAdminClient(urls.admin, adminToken);
  return async (method, path, body) => {
    const answer = await admin(method, `/admin/v1${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
}

type ShopPlan = {
  /** The merchant of an earlier shop; by default the shop gets a new one. */
  readonly merchantId?: string;
  readonly name: string;
  /** What `POST /admin/v1/shops` takes besides. */
  readonly settings?: object;
  readonly routes: readonly object[];
  readonly webhookUrl?: string | undefined;
};

/** Creates a shop with routes, a key and, if a URL is given, webhooks. */
export async function openShop(operator: TestOperator, plan: ShopPlan) {
  const { name, settings, routes, webhookUrl: url } = plan;
  const merchantId =
    plan.merchantId ?? String((await operator('POST', '/merchants', { name }))['merchant_id']);
  const opened = await operator('POST', '/shops', { merchant_id: merchantId, name, ...settings });
  const shopId = String(opened['shop_id']);
  await operator('PUT', `/shops/${shopId}/routes`, { routes });
  const webhook = url !== undefined && (await operator('PUT', `/shops/${shopId}/webhook`, { url }));
  const key = await operator('POST', `/shops/${shopId}/api-keys`, { label: 'test' });
  return {
    merchantId,
    shopId,
    apiKey: String(key['api_key']),
    /** Of its webhooks; empty where it has none. */
    secret: webhook ? String(webhook['secret']) : '',
  };
}

/** A route to the sandbox provider, for payments by default. */
export const sandboxRoute = (change: object = {}) => ({
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  priority: 1,
  commission: { percent: '2.50' },
  ...change,
});

/** No limit that a load would meet. */
export const noRateLimit = { per_second: 100_000, burst: 1_000_000 };
