import { startTestStack, type TestStack } from '#infra/verify/harness/test-stack.ts';
import { noRateLimit, openShop, operatorOf, sandboxRoute } from '#infra/verify/harness/operator.ts';
import { autopilotMs } from '#infra/lab/load/generator/kinds.ts';
import type { LoadShop, SinkOrder } from '#infra/lab/load/generator/messages.ts';
import type { Helper } from '#infra/verify/harness/helper-process.ts';
import type { MetricsPages } from '#infra/lab/load/sample/metrics.ts';

export const shopCount = 8;

/** What the stack runs with besides the defaults of `npm start`, and why. */
export const stackSettings = {
  // The sandbox completes operations by itself only with the demo, whose own shop does nothing
  // meanwhile.
  DEMO: '1',
  LOG_LEVEL: 'info',
} as const;

/** Providers answer at once and complete by themselves; what nobody ends expires. */
const routes = [
  {
    type: 'payment',
    method: 'WT_RUB_C2C',
    options: { autopilot_ms: autopilotMs.payment, expires_in_s: 90 },
  },
  {
    type: 'payment',
    method: 'WT_RUB_PHONE',
    requires_receipt: true,
    options: { review: 'approve', expires_in_s: 90 },
  },
  { type: 'payout', method: 'WT_RUB_C2C', options: { autopilot_ms: autopilotMs.payout } },
].map(sandboxRoute);

/**
 * A whole stack as `npm start` has it, on a folder of its own on the real disk.
 * @throws when it does not get ready
 */
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
  const operator = operatorOf(stack);
  const { url } = await sink.ask<{ url: string }>({ order: 'begin' });
  const shops: LoadShop[] = [];
  for (let shop = 0; shop < shopCount; shop += 1) {
    const opened = await openShop(operator, {
      name: `Load ${shop + 1}`,
      settings: { rate_limit: noRateLimit, overdraft_limits: { RUB: '0.00' } },
      routes,
      webhookUrl: `${url}/${shop}`,
    });
    const { shopId, apiKey, secret } = opened;
    const money = { currency: 'RUB', amount: '1000000000.00', reason: 'to pay out from' };
    await operator('POST', `/shops/${shopId}/adjustments`, { adjustment_id: 'load', ...money });
    await sink.ask({ order: 'secret', shop, secret });
    shops.push({ shopId, apiKey });
  }
  return shops;
}
