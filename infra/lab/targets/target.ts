import { startTestStack, type TestStack } from '#infra/verify/harness/test-stack.ts';
import type { Helper } from '#infra/verify/harness/helper-process.ts';
import type { SinkOrder } from '#infra/lab/load/generator/messages.ts';
import { readDiskBytes } from '#infra/lab/load/sample/disk.ts';
import { createScraper } from '#infra/lab/load/sample/metrics.ts';
import type { StartTarget, Target } from '#infra/lab/load/target.ts';
import { metricsPagesOf, openShops, stackSettings } from './gateway.ts';

/** A stack that runs, with shops of its own. */
export async function gatewayTarget(stack: TestStack, sink: Helper<SinkOrder>): Promise<Target> {
  return {
    url: stack.urls.gateway,
    shops: await openShops(stack, sink),
    processes: () => ({ ...stack.pids(), supervisor: stack.pid }),
    players: ['sandbox-provider', 'demo-receiver'],
    waiting: createScraper(metricsPagesOf(stack)),
    diskBytes: () => readDiskBytes(stack.dataDir),
    stop: stack.stop,
  };
}

/** What `npm start` runs, on a folder of its own below the one for temporary files. */
export const startGateway =
  (env: Readonly<Record<string, string>> = {}): StartTarget =>
  async (sink) =>
    gatewayTarget(await startTestStack({ env: { ...stackSettings, ...env } }), sink);
