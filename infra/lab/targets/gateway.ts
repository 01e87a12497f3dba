import { startTestStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import {
  noRateLimit,
  openShop,
  createTestOperator,
  sandboxRoute,
} from '#infra/verify/harness/shops/operator.ts';
import { autopilotMs } from '#infra/lab/load/generator/kinds.ts';
import type { LoadShop, SinkOrder } from '#infra/lab/load/generator/messages.ts';
import type { Helper } from '#infra/verify/harness/processes/helper-process.ts';
import { readDiskBytes } from '#infra/lab/load/sample/disk.ts';
import { createScraper } from '#infra/lab/load/sample/metrics.ts';
import type { StartTarget } from '#infra/lab/load/target.ts';

export const shopCount = 8;

/** The stack's settings besides the defaults of `npm start`, with reasons. */
export const stackSettings = {
  // The sandbox completes operations by itself only with the demo, whose shop is idle meanwhile.
  DEMO: '1',
  LOG_LEVEL: 'info',
} as const;

/** Providers answer at once and complete by themselves; others expire. */
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

/** Starts the processes of `npm start` with shops: on the given folder, else on a temporary one. */
export const startGateway =
  (env: Readonly<Record<string, string>> = {}, dataDir?: string): StartTarget =>
  async (sink) => {
    const stack = await startTestStack({
      env: { ...stackSettings, ...env },
      ...(dataDir !== undefined && { dataDir }),
    });
    return {
      url: stack.urls.gateway,
      shops: await openShops(stack, sink),
      processes: () => ({ ...stack.pids(), supervisor: stack.pid }),
      players: ['sandbox-provider', 'demo-receiver'],
      waiting: createScraper(
        ['PROJECTIONS_PORT', 'WEBHOOKS_PORT', 'PROCESSOR_PORT'].map(
          (port) => `http://127.0.0.1:${stack.env[port]}/metrics`,
        ),
      ),
      diskBytes: () => readDiskBytes(stack.dataDir),
      stop: stack.stop,
    };
  };

/** Creates shops through the admin API, with a billion each for payouts and no overdraft. */
async function openShops(stack: TestStack, sink: Helper<SinkOrder>): Promise<LoadShop[]> {
  const operator = createTestOperator(stack);
  const { url } = await sink.request<{ url: string }>({ order: 'begin' });
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
    await sink.request({ order: 'secret', shop, secret });
    shops.push({ shopId, apiKey });
  }
  return shops;
}
