import { startTestStack } from '#infra/verify/harness/test-stack.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { noRateLimit, openShop, operatorOf } from '#infra/verify/harness/operator.ts';
import { benchRoutes, type BenchShop } from './shop.ts';
import { cpuMs } from '#infra/lab/load/sample/usage.ts';

/** The processes of `npm start`, without the demo. */
export type WholeStack = {
  /** What its processes run with. */
  env: Readonly<Record<string, string>>;
  shop: BenchShop;
  pids(): number[];
  /** Creates a shop through the admin API, with a webhook endpoint if one is given. */
  makeShop(webhookUrl?: string): Promise<BenchShop>;
  /** Until the workers have nothing left to do. */
  atRest(): Promise<void>;
  stop(): Promise<void>;
};

const restMs = 300;

export async function startWholeStack(): Promise<WholeStack> {
  const nodeOptions = process.env['BENCH_NODE_OPTIONS'];
  const stack = await startTestStack(nodeOptions ? { env: { NODE_OPTIONS: nodeOptions } } : {});
  const operator = operatorOf(stack);
  const settings = { rate_limit: noRateLimit };
  const makeShop = (webhookUrl?: string): Promise<BenchShop> =>
    openShop(operator, { name: 'Bench', settings, routes: benchRoutes, webhookUrl });
  const pids = () => [stack.pid, ...Object.values(stack.pids())];
  return {
    env: stack.env,
    shop: await makeShop(),
    pids,
    makeShop,
    atRest: () =>
      waitUntil(
        'the stack is at rest',
        async () => {
          const before = cpuMs(pids());
          await new Promise((resolve) => setTimeout(resolve, restMs));
          return cpuMs(pids()) - before < restMs / 5;
        },
        { timeoutMs: 60_000, intervalMs: 0 },
      ),
    stop: async () => void (await stack.stop()),
  };
}
