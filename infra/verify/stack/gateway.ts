import { startTestStack, type TestStack } from '#infra/verify/harness/stack.ts';
import { createAdminClient } from '#infra/start/admin-client.ts';
import { autopilotMs } from '#infra/verify/load/generator/kinds.ts';
import type { LoadShop, SinkOrder } from '#infra/verify/load/generator/messages.ts';
import type { Helper } from './helper-process.ts';
import type { MetricsPages } from '#infra/verify/load/sample/metrics.ts';

export const shopCount = 8;

/** What the stack runs with besides the defaults of `npm start`, and why. */
export const stackSettings = {
  // The sandbox completes operations by itself only with the demo, whose own shop does nothing meanwhile.
  DEMO: '1',
  LOG_LEVEL: 'info',
} as const;

/** Providers answer at once and complete by themselves; what nobody ends expires. */
const routes = [
  { type: 'payment', method: 'WT_RUB_C2C', options: { autopilot_ms: autopilotMs.payment, expires_in_s: 90 } },
  {
    type: 'payment',
    method: 'WT_RUB_PHONE',
    requires_receipt: true,
    options: { review: 'approve', expires_in_s: 90 },
  },
  { type: 'payout', method: 'WT_RUB_C2C', options: { autopilot_ms: autopilotMs.payout } },
].map((route) => ({
  ...route,
  currency: 'RUB',
  provider: 'sandbox',
  priority: 1,
  commission: { percent: '2.50' },
}));

/** A whole stack as `npm start` has it, on a folder of its own on the real disk. @throws when it does not get ready */
export const startCapacityStack = (dataDir: string): Promise<TestStack> =>
  startTestStack({ dataDir, env: stackSettings, readyWithinMs: 120_000 });

/** Where the services tell what waits. */
export function metricsPagesOf({ env }: TestStack): MetricsPages {
  const page = (port: string) => `http://127.0.0.1:${env[port]}/metrics`;
  return {
    projections: page('PROJECTIONS_PORT'),
    webhooks: page('WEBHOOKS_PORT'),
    processor: page('PROCESSOR_PORT'),
  };
}

/** Shops as an operator makes them, with a billion each for payouts and no overdraft. */
export async function openShops(stack: TestStack, sink: Helper<SinkOrder>): Promise<LoadShop[]> {
  const admin = createAdminClient(stack.urls.admin, stack.adminToken);
  const call = async (method: string, path: string, body: object) => {
    const answer = await admin(method, `/admin/v1${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const { url } = await sink.ask<{ url: string }>({ order: 'begin' });
  const { merchant_id } = await call('POST', '/merchants', { name: 'Capacity' });
  const shops: LoadShop[] = [];
  for (let shop = 0; shop < shopCount; shop += 1) {
    const opened = await call('POST', '/shops', {
      merchant_id,
      name: `Capacity ${shop + 1}`,
      rate_limit: { per_second: 100_000, burst: 1_000_000 },
      overdraft_limits: { RUB: '0.00' },
    });
    const shopId = String(opened['shop_id']);
    await call('PUT', `/shops/${shopId}/routes`, { routes });
    const money = {
      adjustment_id: 'capacity',
      currency: 'RUB',
      amount: '1000000000.00',
      reason: 'to pay out from',
    };
    await call('POST', `/shops/${shopId}/adjustments`, money);
    const { secret } = await call('PUT', `/shops/${shopId}/webhook`, { url: `${url}/${shop}` });
    await sink.ask({ order: 'secret', shop, secret: String(secret) });
    const { api_key } = await call('POST', `/shops/${shopId}/api-keys`, { label: 'capacity' });
    shops.push({ shopId, apiKey: String(api_key) });
  }
  return shops;
}
