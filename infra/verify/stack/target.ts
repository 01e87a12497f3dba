import { startTestStack, type TestStack } from '#infra/verify/harness/test-stack.ts';
import type { Helper } from './helper-process.ts';
import type { LoadShop, SinkOrder } from '#infra/verify/load/generator/messages.ts';
import { readDiskBytes } from '#infra/verify/load/sample/disk.ts';
import { createScraper, type Waiting } from '#infra/verify/load/sample/metrics.ts';
import { metricsPagesOf, openShops, stackSettings } from './gateway.ts';

/** What is under load: where it answers, and what runs there. */
export type Target = {
  readonly url: string;
  readonly shops: readonly LoadShop[];
  /** The pid of each of its processes, as they are now. */
  readonly processes: () => Readonly<Record<string, number>>;
  /** Those of them that play somebody else: a provider, a merchant. */
  readonly players: readonly string[];
  /** What waits in it, where it has followers that tell. */
  readonly waiting?: () => Promise<Waiting>;
  readonly diskBytes?: () => ReturnType<typeof readDiskBytes>;
  readonly stop: () => Promise<unknown>;
};

/** Starts one whose shops send their webhooks to the sink. */
export type StartTarget = (sink: Helper<SinkOrder>) => Promise<Target>;

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
