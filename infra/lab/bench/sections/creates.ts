import type { BenchContext } from '../context.ts';
import { createLoadClient } from '#infra/lab/load/http-client.ts';
import { closedLoop, type LoopMeasurement } from '#infra/lab/load/loops.ts';
import { startOrderWorker } from '#infra/lab/targets/servers.ts';
import { createAcceptedOperation } from '../load/create.ts';
import type { CommandPath } from '../processes/command-path.ts';
import { startWholeStack, type WholeStack } from '../processes/whole-stack.ts';
import type { AppenderOrder } from '../servers/bare-appender.ts';
import type { BenchSection } from '#infra/lab/report/section.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const widest = 64;
const widths = [1, 16, widest] as const;

type Times = Pick<BenchContext, 'rampMs' | 'durationMs'>;
type TargetConnection = {
  load(durationMs: number): Promise<LoopMeasurement>;
  close(): Promise<void>;
};

/** A target for creates, with its processes. */
type Target = {
  pids: () => number[];
  connect(clients: number): TargetConnection;
  /** Waits until the workers have caught up. */
  after?: () => Promise<void>;
};
type Targets = Readonly<Record<string, Target>>;

/**
 * Payments created per second, alone and with everything running, compared with a minimal server.
 */
export async function* measureCreates(context: BenchContext): AsyncGenerator<BenchSection> {
  const path = await context.commandPath();
  const commandPath = await startCommandPathTargets(path);
  await warmUp(context, commandPath);
  for (const clients of context.quick ? [widest] : widths) {
    // A separate stack for each section: payments without callbacks are polled for five minutes,
    // and must not slow the next section.
    const whole = await startWholeStack();
    try {
      const everything = await startStackTargets(path, whole);
      await warmUp(context, everything);
      const cases = createCases(context, { ...commandPath, ...everything }, clients);
      yield {
        name: `Creates, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
        about:
          'Payments created. "minimal": a Hono server with two appends of an event each and one call of a trivial provider between them.',
        rows: await inRounds(cases, { rounds: context.rounds, warmUpRounds: 0 }),
        figures: [],
      };
    } finally {
      await whole.stop();
    }
  }
}

/**
 * A server runs for weeks, so its code is compiled before the measurement, which takes some ten
 * seconds.
 */
async function warmUp({ quick }: BenchContext, targets: Targets): Promise<void> {
  const times = { rampMs: 0, durationMs: quick ? 2_000 : 10_000 };
  for (const each of createCases(times, targets, widest)) await each.run();
}

const against: Readonly<Record<string, string[]>> = {
  minimal: ['bare'],
  'gateway alone': ['minimal'],
  'everything running': ['minimal'],
};

function createCases({ rampMs, durationMs }: Times, targets: Targets, clients: number): Case[] {
  return Object.entries(targets).map(([name, { pids, connect, after }]) => ({
    name,
    against: against[name] ?? [],
    run: async () => {
      const { load, close } = connect(clients);
      try {
        // A process that has idled while others were measured is slow for some seconds.
        if (rampMs > 0) await load(rampMs);
        return await withCpu(pids(), () => load(durationMs));
      } finally {
        await close();
        await after?.();
      }
    },
  }));
}

const connectTo =
  (url: string, apiKey: string) =>
  (clients: number): TargetConnection => {
    const client = createLoadClient(url, clients);
    const once = async () => void (await createAcceptedOperation(client, apiKey));
    return {
      load: (durationMs) => closedLoop({ clients, durationMs }, once),
      close: () => client.close(),
    };
  };

/**
 * The processes of `npm start` with another merchant API that uses the minimal server's provider.
 */
async function startStackTargets(
  { servers, provider }: CommandPath,
  whole: WholeStack,
): Promise<Targets> {
  const { GATEWAY_METRICS_PORT: _, ...env } = whole.env;
  const gateway = await servers.start('services/merchant-api/main.ts', {
    port: 'GATEWAY_PORT',
    env: { ...env, SANDBOX_URL: provider.url },
  });
  const pids = () => [...whole.pids(), gateway.pid, provider.pid];
  const connect = connectTo(gateway.url, whole.shop.apiKey);
  return { 'everything running': { pids, connect, after: whole.atRest } };
}

/** The command path alone, and its counterparts. */
async function startCommandPathTargets(path: CommandPath): Promise<Targets> {
  const { servers, eventStoreUrl, provider, eventStorePid, shop } = path;
  const env = { EVENT_STORE_URL: eventStoreUrl, PROVIDER_URL: provider.url };
  const bare = startOrderWorker<AppenderOrder>('infra/lab/bench/servers/bare-appender.ts', env);
  const minimal = await servers.start('infra/lab/bench/servers/minimal.ts', { port: 'PORT', env });
  const target = ({ url, pid }: { url: string; pid: number }): Target => ({
    pids: () => [pid, eventStorePid, provider.pid],
    connect: connectTo(url, shop.apiKey),
  });
  return {
    // It has its clients in its own process.
    bare: {
      pids: () => [bare.pid, eventStorePid],
      connect: (clients) => ({
        load: (durationMs) => bare.request<LoopMeasurement>({ order: 'run', clients, durationMs }),
        close: async () => undefined,
      }),
    },
    minimal: target(minimal),
    'gateway alone': target(await path.startGateway()),
  };
}
