import { startTestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { noRateLimit, openShop, createTestOperator } from '#infra/verify/harness/shops/operator.ts';
import { benchRoutes, type BenchShop } from './shop.ts';
import { cpuMs } from '#infra/lab/load/sample/usage.ts';

export type WholeStack = Awaited<ReturnType<typeof startWholeStack>>;

const restMs = 300;

/** The processes of `npm start`, without the demo. */
export async function startWholeStack() {
  const nodeOptions = process.env['BENCH_NODE_OPTIONS'];
  const stack = await startTestStack(nodeOptions ? { env: { NODE_OPTIONS: nodeOptions } } : {});
  const operator = createTestOperator(stack);
  const settings = { rate_limit: noRateLimit };
  /** Creates a shop through the admin API, with a webhook endpoint if one is given. */
  const makeShop = (webhookUrl?: string): Promise<BenchShop> =>
    openShop(operator, { name: 'Bench', settings, routes: benchRoutes, webhookUrl });
  const pids = () => [stack.pid, ...Object.values(stack.pids())];
  return {
    env: stack.env,
    shop: await makeShop(),
    pids,
    makeShop,
    /** Until the workers have nothing left to do. */
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
