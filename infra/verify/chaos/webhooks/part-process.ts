import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from '#infra/verify/harness/stores/tcp-proxy.ts';
import type { RunningProcess } from '#infra/process/start-process.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import type { RestartableStores } from '#services/webhooks/testing/restartable-stores.ts';
import {
  startServiceProcess,
  type ServiceProcessOptions,
} from '#services/webhooks/testing/service-process.ts';

type StoreName = 'eventStore' | 'postgres' | 'nats';

/** A moment in the work of a part, recognised by a call to a store, which hangs from then on. */
export type HangPoint = {
  store: StoreName;
  /** In the bytes that it sends. */
  pattern: RegExp;
  /** Whether the call still reaches the store: then it is executed, but the answer is lost. */
  heard: boolean;
};

export type PartProcess = Awaited<ReturnType<typeof createPartProcess>>;

const momentWithinMs = 45_000;
/** By then, sent data has long reached a store on the same machine. */
const heardWithinMs = 20;
const stopWithinMs = 10_000;

/** A part of the service, not running yet: a process with a proxy before each store. */
export async function createPartProcess(stores: RestartableStores, options: ServiceProcessOptions) {
  let armed: HangPoint | undefined;
  const proxyFor = (name: StoreName): Promise<TcpProxy> =>
    startTcpProxy(stores[name].url, (chunk) => {
      if (armed?.store !== name || !armed.pattern.test(chunk.toString('latin1'))) return 'pass';
      const { heard } = armed;
      armed = undefined;
      return heard ? 'pass_and_hold' : 'hold';
    });
  const proxies = {
    eventStore: await proxyFor('eventStore'),
    postgres: await proxyFor('postgres'),
    nats: await proxyFor('nats'),
  };
  let running: RunningProcess | undefined;
  return {
    start: () => {
      running = startServiceProcess({ ...proxies, watchdog: stores.watchdog }, options);
    },
    /** kill -9; resolves when it is gone. */
    kill: async () => {
      running?.kill('SIGKILL');
      await running?.exited;
      running = undefined;
      for (const proxy of Object.values(proxies)) {
        proxy.cut();
        proxy.resume();
      }
    },
    stop: async () => {
      await running?.stop(stopWithinMs);
      await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
    },
    /** Resolves at the moment. @throws if it does not come within 45 s */
    until: async (moment: HangPoint) => {
      armed = moment;
      await waitUntil(`it sends ${moment.pattern.source} to ${moment.store}`, () => !armed, {
        timeoutMs: momentWithinMs,
      }).finally(() => (armed = undefined));
      await delay(heardWithinMs);
    },
  };
}
