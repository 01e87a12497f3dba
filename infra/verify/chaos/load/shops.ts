import { createAdminClient } from '#infra/start/admin-client.ts';
import type { ProxiedStack } from '../proxied-stack.ts';
import type { Sink } from '../sink.ts';
import { routesOf, scenarios } from './scenarios.ts';

export type ChaosShop = { readonly shopId: string; readonly apiKey: string };

/** A shop for each scenario, set up as an operator does it, before any fault. */
export async function openShops({ urls, adminToken }: ProxiedStack, sink: Sink): Promise<ChaosShop[]> {
  const admin = createAdminClient(urls.admin, adminToken);
  const call = async (method: string, path: string, body: object) => {
    const answer = await admin(method, `/admin/v1${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const { merchant_id } = await call('POST', '/merchants', { name: 'Chaos' });
  const shops: ChaosShop[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const { name, settings } = scenario;
    const rate_limit = { per_second: 10_000, burst: 10_000 };
    const opened = await call('POST', '/shops', { merchant_id, name, rate_limit, ...settings });
    const shopId = String(opened['shop_id']);
    await call('PUT', `/shops/${shopId}/routes`, { routes: routesOf(scenario) });
    const { secret } = await call('PUT', `/shops/${shopId}/webhook`, { url: sink.urlOf(index) });
    sink.setSecret(index, String(secret));
    const { api_key } = await call('POST', `/shops/${shopId}/api-keys`, { label: 'chaos' });
    shops.push({ shopId, apiKey: String(api_key) });
  }
  return shops;
}
