import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { createMerchantApi } from '#services/merchant-api/app.ts';
import { createProcessorApp } from '#services/processor/app.ts';
import type { Timings } from '#services/processor/due/next-look.ts';
import { startProcessor } from '#services/processor/processor.ts';
import type { Directory } from '#shared/directory/directory.ts';
import type { EventStore } from '#shared/event-store/index.ts';
import { createLedgers } from '#shared/ledger/ledgers.ts';
import type { Ledgers } from '#shared/ledger/types.ts';
import { createLogger } from '#shared/logger.ts';
import { createReceiptLinks } from '#shared/receipts/links.ts';
import type { Random } from '#infra/testing/random.ts';
import type { DueTable } from './due-table.ts';
import { reachLog, type Log } from './log.ts';
import type { Instance, Network } from './network.ts';
import type { SimulatedProvider } from './provider.ts';

export type Answer = { status: number; body: Record<string, unknown> };
/** `fetch` of a service's app, without a network of its own. */
type App = { request(path: string, init: RequestInit): Response | Promise<Response> };
type Running = Instance & { app: App; store: EventStore; ledgers?: Ledgers };
export type Service = 'merchant-api' | 'processor';

export type Cluster = {
  /** Sends a request to one of the two instances of a service; nothing when no answer comes. */
  request(
    to: { service: Service; index: number },
    path: string,
    init: RequestInit,
  ): Promise<Answer | undefined>;
  /** What an operator's command works with: the stores of a merchant API that runs; nothing while none does. */
  stores(): { store: EventStore; ledgers: Ledgers } | undefined;
  crash(instance: Instance): void;
  crashes(): number;
  /** One instance of each service does not come back any more, or all of them do. */
  heal(options: { loseOne: boolean }): void;
};

export type ClusterOptions = {
  random: Random;
  log: Log;
  due: DueTable;
  directory: Directory;
  network: () => Network;
  provider: () => SimulatedProvider;
};

const acceptanceMs = 4_000;
/** Days become seconds. */
const timings: Timings = {
  graceMs: 300,
  silenceMs: 2_000,
  longestSilenceMs: 8_000,
  retryMs: 200,
  longestRetryMs: 3_000,
};
const leaseMs = 2_000;
/** Seldom: most looks would find nothing, and each costs the simulation as much as a message. */
const pollMs = 1_000;
const instancesOf = 2;

/** Two merchant APIs and two processors, the services' own code, each on its own connections to one set of stores. */
export function createCluster(options: ClusterOptions): Cluster {
  const { random, log, due, directory } = options;
  const logger = createLogger('simulation', 'silent');
  const running = new Map<string, Running>();
  let crashes = 0;
  let gone: ReadonlySet<string> = new Set();

  const start = (service: Service, index: number): void => {
    const name = `${service} ${index}`;
    if (gone.has(name)) return;
    const instance: Instance = { name, alive: true, died: Promise.withResolvers<undefined>() };
    const network = options.network();
    const connector = options.provider().reach(network, instance);
    const shared = {
      store: reachLog(log, network, instance),
      providers: new Map([[connector.name, connector]]),
      logger,
      metrics: new Registry(),
    };
    running.set(
      name,
      Object.assign(
        instance,
        service === 'merchant-api' ? api(shared, directory) : processor(shared, instance),
      ),
    );
  };

  const processor = (shared: Shared, instance: Instance) => {
    startProcessor({
      ...shared,
      due: due.reach(options.network(), instance),
      prepare: async () => true,
      receipts: { get: async () => undefined },
      timings,
      leaseMs,
      pollMs,
    });
    return { app: createProcessorApp({ ...shared, now: () => Date.now() }), store: shared.store };
  };

  const crash = (instance: Instance) => {
    if (!instance.alive) return;
    instance.alive = false;
    instance.died.resolve(undefined);
    crashes += 1;
    due.connectionLost(instance);
    const [service, index] = instance.name.split(' ') as [Service, string];
    void delay(random.between(20, 3_000)).then(() => start(service, Number(index)));
  };

  for (const service of ['merchant-api', 'processor'] as const)
    for (let index = 0; index < instancesOf; index += 1) start(service, index);

  return {
    crash,
    crashes: () => crashes,
    heal: ({ loseOne }) => {
      if (!loseOne) return;
      gone = new Set(
        ['merchant-api', 'processor'].map((service) => `${service} ${random.below(instancesOf)}`),
      );
      for (const name of gone) {
        const instance = running.get(name);
        if (instance) crash(instance);
      }
    },
    stores: () => {
      const [first] = [...running.values()].filter(({ alive, ledgers }) => alive && ledgers);
      return first?.ledgers && { store: first.store, ledgers: first.ledgers };
    },
    request: async ({ service, index }, path, init) => {
      const instance = running.get(`${service} ${index}`);
      await delay(random.between(0.1, 5));
      if (!instance?.alive) return undefined;
      const response = await Promise.race([instance.app.request(path, init), instance.died.promise]);
      if (!response) return undefined;
      const text = await response.text();
      await delay(random.between(0.1, 5));
      return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) };
    },
  };
}

type Shared = Pick<Parameters<typeof createMerchantApi>[0], 'store' | 'providers' | 'logger' | 'metrics'>;

function api(shared: Shared, directory: Directory): { app: App; store: EventStore; ledgers: Ledgers } {
  const ledgers = createLedgers({ store: shared.store });
  const app = createMerchantApi({
    ...shared,
    directory,
    ledgers,
    acceptanceMs,
    payBaseUrl: 'http://pay.simulated',
    receipts: { put: async () => undefined, get: async () => undefined },
    links: createReceiptLinks({ baseUrl: 'http://gateway.simulated', secret: 'a-secret-of-the-links' }),
    notReady: async () => undefined,
  });
  return { app, store: shared.store, ledgers };
}
