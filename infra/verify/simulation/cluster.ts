import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { SimulatedLag } from './log.ts';
import type { Instance } from './network.ts';

type ServiceAnswer = { status: number; body: Record<string, unknown> };
/** `fetch` of a service's app, without a network. */
type App = { request(path: string, init: RequestInit): Response | Promise<Response> };

/** What a service is while it runs. */
export type RunningService = {
  app: App;
  store: EventStore;
  ledgers?: Ledgers;
  /** Ends background work; pending calls are left as they are. */
  end(): void;
};

const services = ['merchant-api', 'processor', 'admin'] as const;
type Service = (typeof services)[number];
/** Starts the code of a service on the ports of one instance. */
export type StartService = (
  service: Service,
  instance: Instance,
  lag: SimulatedLag,
) => RunningService;

export type Cluster = ReturnType<typeof createCluster>;

const instancesOf = 2;
const longestLagMs = 1_500;

/**
 * Two instances of each service, with the services' own code, each with its own connections to one
 * set of stores.
 */
export function createCluster({ random, start }: { random: Random; start: StartService }) {
  const running = new Map<string, Instance & RunningService>();
  let crashes = 0;
  let gone: ReadonlySet<string> = new Set();
  let ended = false;
  // A processor's fresh reads go to the store's leader; other reads show what a follower has.
  const lags = random.chance(0.3);

  const chooseLag = (service: Service): SimulatedLag => ({
    ofStreamsMs: lags && service === 'processor' ? random.between(0, longestLagMs) : 0,
    ofSubscriptionsMs: lags ? random.between(0, longestLagMs) : 0,
  });

  const startOne = (service: Service, index: number): void => {
    const name = `${service} ${index}`;
    if (gone.has(name) || ended) return;
    const instance = newInstance(name);
    running.set(name, Object.assign(instance, start(service, instance, chooseLag(service))));
  };

  const kill = (instance: Instance) => {
    instance.alive = false;
    instance.died.resolve(undefined);
    running.get(instance.name)?.end();
  };

  const crash = (instance: Instance) => {
    if (!instance.alive) return;
    kill(instance);
    crashes += 1;
    const [service, index] = instance.name.split(' ') as [Service, string];
    void delay(random.between(20, 3_000)).then(() => startOne(service, Number(index)));
  };

  for (const service of services)
    for (let index = 0; index < instancesOf; index += 1) startOne(service, index);

  return {
    crash,
    crashes: () => crashes,
    /** From now on one instance of each service stays down, or all run. */
    heal: ({ loseOne }: { loseOne: boolean }) => {
      if (!loseOne) return;
      gone = new Set(services.map((service) => `${service} ${random.below(instancesOf)}`));
      for (const name of gone) {
        const instance = running.get(name);
        if (instance) crash(instance);
      }
    },
    /** The dependencies of an operator's command; undefined while the admin service is down. */
    stores: () => {
      const found = [...running.values()].find(
        ({ alive, name }) => alive && name.startsWith('admin'),
      );
      return found?.ledgers && { store: found.store, ledgers: found.ledgers };
    },
    /** Sends a request to one of the two instances of a service; undefined without an answer. */
    request: (
      { service, index }: { service: Service; index: number },
      path: string,
      init: RequestInit,
    ) => callService(running.get(`${service} ${index}`), random, (app) => app.request(path, init)),
    /** Kills all instances; none is started again. */
    end: () => {
      ended = true;
      for (const instance of running.values()) if (instance.alive) kill(instance);
    },
  };
}

const newInstance = (name: string): Instance => ({
  name,
  alive: true,
  died: Promise.withResolvers<undefined>(),
  stoppedUntilMs: 0,
  cutOffUntilMs: new Map(),
});

/** Undefined if the instance died before it answered. */
async function callService(
  instance: (Instance & RunningService) | undefined,
  random: Random,
  request: (app: App) => ReturnType<App['request']>,
): Promise<ServiceAnswer | undefined> {
  await delay(random.between(0.1, 5));
  if (!instance?.alive) return undefined;
  const response = await Promise.race([request(instance.app), instance.died.promise]);
  if (!response) return undefined;
  const text = await response.text();
  await delay(random.between(0.1, 5));
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as ServiceAnswer['body']),
  };
}
