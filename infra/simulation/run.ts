import { setTimeout as delay } from 'node:timers/promises';
import { adjust } from '#services/admin/adjustments/adjust.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';
import { newId } from '#shared/ids.ts';
import { readOperation } from '#shared/operations/streams.ts';
import { createRandom, type Random } from '#infra/testing/random.ts';
import { checkJournals, checkOperation } from './checks/books.ts';
import { checkTold } from './checks/told.ts';
import { takeOver } from './clock.ts';
import { createCluster, type Cluster } from './cluster.ts';
import { createDueTable } from './due-table.ts';
import { createLog, type Log } from './log.ts';
import { createMerchant, plan } from './merchant.ts';
import { createNetwork, type Fault, type Network } from './network.ts';
import { createProvider, type SimulatedProvider } from './provider.ts';
import { directoryOf, makeShop, type SimulatedShop } from './shops.ts';

export type Finding = { what: string; shows: unknown };

/** What one schedule came to. */
export type Outcome = {
  seed: number;
  findings: Finding[];
  operations: number;
  events: number;
  calls: number;
  crashes: number;
  injected: ReadonlyMap<Fault, number>;
  /** How much time passed in it. */
  simulatedMs: number;
  /** One for one schedule: the same seed gives the same. */
  fingerprint: string;
};

/** Faults for so long; then everything must come to rest within as long again as a merchant might wait. */
const stormMs = 30_000;
const restWithinMs = 3 * 60_000;
/** More than a schedule takes: one that goes on is a finding, and not a hang. */
const maxSteps = 50_000;

/**
 * Runs one schedule: the seed decides who asks for what, how long each message takes, which is lost, who crashes, what
 * the provider does. Faults stop after a while, one instance of each service for good where the seed says so; then all
 * must come to rest, and what merchants were told, the books and what the provider did must agree.
 */
export async function simulate(seed: number, makeLog = createLog): Promise<Outcome> {
  const random = createRandom(seed);
  const clock = takeOver(random);
  const findings: Finding[] = [];
  const find = (what: string, shows?: unknown) => void findings.push({ what, shows });
  const beganMs = clock.nowMs();
  try {
    const world = makeWorld(random, makeLog());
    const ended = play(world, random).then(
      () => true,
      (error: unknown) => {
        find('the schedule broke', error instanceof Error ? error.stack : error);
        return true;
      },
    );
    let over = false;
    void ended.then(() => (over = true));
    for (let steps = 0; !over; steps += 1) {
      if (!(await clock.step()) || steps > maxSteps) {
        find(steps > maxSteps ? 'the schedule goes on and on' : 'nothing moves any more, and nothing will');
        break;
      }
    }
    check(world, find);
    const { log, network, cluster, operations } = world;
    return {
      seed,
      findings,
      operations: operations.length,
      events: log.size(),
      calls: network.calls(),
      crashes: cluster.crashes(),
      injected: network.injected,
      simulatedMs: clock.nowMs() - beganMs,
      fingerprint: log
        .page(0, log.size())
        .map(({ id }) => id.slice(0, 2))
        .join(''),
    };
  } finally {
    clock.restore();
  }
}

type World = ReturnType<typeof makeWorld>;

function makeWorld(random: Random, log: Log) {
  const due = createDueTable();
  const shops = Array.from({ length: 1 + random.below(2) }, () => makeShop(log, random));
  const world: { network?: Network; provider?: SimulatedProvider; cluster?: Cluster } = {};
  const network = createNetwork({
    random,
    faultRate: random.pick([0, 0.02, 0.05, 0.15]),
    crash: (instance) => world.cluster?.crash(instance),
  });
  const provider = createProvider({
    random,
    tell: async (operationId, known) => {
      const to = { service: 'processor', index: random.below(2) } as const;
      const body = JSON.stringify({ operationId, ...known });
      const answer = await world.cluster?.request(to, '/callbacks/simulated', { method: 'POST', body });
      // An answer that is lost on its way back has the callback come again.
      return answer?.status === 204 && !random.chance(0.1);
    },
  });
  const cluster = createCluster({
    random,
    log,
    due,
    directory: directoryOf(shops),
    network: () => network,
    provider: () => provider,
  });
  world.cluster = cluster;
  const operations = Array.from({ length: 2 + random.below(7) }, (_, number) =>
    plan(random, random.pick(shops as [SimulatedShop]), number),
  );
  return { log, due, shops, network, provider, cluster, operations };
}

async function play({ log, due, shops, network, provider, cluster, operations }: World, random: Random) {
  const merchants = operations.map((operation) => createMerchant(cluster, random, operation));
  const acts = [...merchants.map(({ act }) => act()), ...shops.map((shop) => fund(cluster, random, shop))];
  await delay(stormMs);
  network.heal();
  cluster.heal({ loseOne: random.chance(0.3) });
  await Promise.all(acts);
  const store = { read: async (stream: string) => log.read(stream) } as never;
  const atRest = async () => {
    if (!provider.atRest() || due.rows().length > 0) return false;
    const states = await Promise.all(
      operations
        .filter(({ operationId }) => log.read(operationStream(operationId)).length > 0)
        .map(({ operationId }) => readOperation(store, operationId)),
    );
    return states.every((state) => !state || isTerminal(state.status));
  };
  for (let waitedMs = 0; waitedMs < restWithinMs && !(await atRest()); waitedMs += 1_000) await delay(1_000);
  // Long after, everything is still as it was told.
  for (const merchant of merchants) {
    await merchant.create();
    await merchant.read();
  }
}

/** A top-up now and then; sent again, as an operator does, until it is known to stand. */
async function fund(cluster: Cluster, random: Random, { shop }: SimulatedShop): Promise<void> {
  for (let count = random.below(4); count > 0; count -= 1) {
    await delay(random.between(0, 8_000));
    const request = {
      shop_id: shop.shopId,
      adjustment_id: newId(),
      currency: 'RUB' as const,
      amount: random.pick(['500.00', '150.00', '-20.00']),
      reason: 'simulated',
    };
    const origin = { actor: 'operator:simulated', correlationId: request.adjustment_id };
    for (let done = false; !done;) {
      const stores = cluster.stores();
      const posted =
        stores &&
        adjust(stores, request, origin).then(
          () => true,
          () => false,
        );
      done = (await Promise.race([posted, delay(15_000, false)])) ?? false;
      if (!done) await delay(random.between(50, 500));
    }
  }
}

function check(
  { log, shops, provider, due, operations }: World,
  find: (what: string, shows?: unknown) => void,
) {
  const entries = shops.flatMap((shop) => checkJournals(log, shop, find));
  for (const operation of operations) {
    checkTold(operation, find);
    checkOperation({ log, provider, entries, operation }, find);
  }
  if (due.rows().length > 0) find('work is left over', due.rows());
}
