import type { Context } from '../context.ts';
import { createLoadClient, type LoadClient } from '../load/http-client.ts';
import { closedLoop, openLoop, type Load } from '../load/loops.ts';
import { createPayment } from '../load/payments.ts';
import type { CommandPath } from '../processes/command-path.ts';
import { startWholeStack, type WholeStack } from '../processes/whole-stack.ts';
import type { Section } from '../report/section.ts';
import { inRounds, withCpu, type Case, type Row, type Sample } from '../rounds.ts';

const widest = 64;
const widths = [1, 16, widest] as const;

type Times = Pick<Context, 'rampMs' | 'durationMs'>;
type Target = { url: string; apiKey: string; pids: () => number[]; after?: () => Promise<void> };

/** Payments created per second, alone and with everything running, beside the least that could be done. */
export async function* measureCreates(context: Context): AsyncGenerator<Section> {
  const path = await context.commandPath();
  const commandPath = await startCommandPathTargets(path);
  await warmUp(context, commandPath);
  // A stack of its own for each section: providers are asked about payments that they are silent about for five minutes,
  // and those of one section must not slow the next.
  const onStack = async <T>(measure: (targets: Targets) => Promise<T>): Promise<T> => {
    const whole = await startWholeStack();
    try {
      const everything = await startWholeTargets(path, whole);
      await warmUp(context, everything);
      return await measure({ ...commandPath, ...everything });
    } finally {
      await whole.stop();
    }
  };
  let rows: Row[] = [];
  for (const clients of context.quick ? [widest] : widths) {
    rows = await onStack((targets) =>
      inRounds(casesOf(context, targets, clients), { rounds: context.rounds, warmUpRounds: 0 }),
    );
    yield {
      name: `Creates, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
      about:
        'Payments created. "minimal": a Hono server with two appends of an event each and one call of a trivial provider between them.',
      rows,
      figures: [],
    };
  }
  yield await onStack((targets) => atHalfLoad(context, targets, rows));
}

/** A server runs for weeks: its code is compiled before anything counts, the longest of which takes some ten seconds. */
async function warmUp({ quick }: Context, targets: Partial<Targets>): Promise<void> {
  const times = { rampMs: 0, durationMs: quick ? 2_000 : 10_000 };
  for (const each of casesOf(times, targets, widest)) await each.run();
}

/** What `npm start` runs; and the same with the provider that the minimal server has, behind one more merchant API. */
async function startWholeTargets({ servers, provider }: CommandPath, whole: WholeStack) {
  const { GATEWAY_METRICS_PORT: _, ...env } = whole.env;
  const gateway = await servers.start('services/merchant-api/main.ts', {
    port: 'GATEWAY_PORT',
    env: { ...env, SANDBOX_URL: provider.url },
  });
  const { shop, atRest: after } = whole;
  const { apiKey } = shop;
  return {
    'everything running': {
      url: gateway.url,
      apiKey,
      pids: () => [...whole.pids(), gateway.pid, provider.pid],
      after,
    },
    'everything running, sandbox provider': { url: whole.url, apiKey, pids: whole.pids, after },
  } satisfies Record<string, Target>;
}

async function startCommandPathTargets(path: CommandPath) {
  const { servers, eventStoreUrl, databaseUrl, provider, eventStorePid, databasePid, shop } = path;
  const env = { EVENT_STORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl, PROVIDER_URL: provider.url };
  const start = (name: string) => servers.start(`infra/bench/servers/${name}.ts`, { port: 'PORT', env });
  const bare = await start('bare-appender');
  const minimal = await start('minimal');
  const postgres = await start('postgres-gateway');
  const gateway = await path.startGateway();
  const sandbox = await path.startSandbox();
  const onSandbox = await path.startGateway(sandbox);
  const { apiKey } = shop;
  const target = (url: string, ...pids: number[]): Target => ({ url, apiKey, pids: () => pids });
  return {
    bare: target(bare.url, bare.pid, eventStorePid),
    minimal: target(minimal.url, minimal.pid, eventStorePid, provider.pid),
    'in PostgreSQL': target(postgres.url, postgres.pid, databasePid, provider.pid),
    'gateway alone': target(gateway.url, gateway.pid, eventStorePid, provider.pid),
    'gateway alone, sandbox provider': target(onSandbox.url, onSandbox.pid, eventStorePid, sandbox.pid),
  } satisfies Record<string, Target>;
}

type Targets = Awaited<ReturnType<typeof startCommandPathTargets>> &
  Awaited<ReturnType<typeof startWholeTargets>>;

function casesOf(times: Times, targets: Partial<Targets>, clients: number): Case[] {
  const against: Partial<Record<keyof Targets, string[]>> = {
    minimal: ['bare'],
    'in PostgreSQL': ['minimal'],
    'gateway alone': ['minimal', 'in PostgreSQL'],
    'gateway alone, sandbox provider': ['minimal'],
    'everything running': ['minimal', 'in PostgreSQL'],
    'everything running, sandbox provider': ['minimal', 'in PostgreSQL'],
  };
  return (Object.entries(targets) as [keyof Targets, Target][]).map(([name, target]) => ({
    name,
    against: against[name] ?? [],
    run: () =>
      onTarget(target, { connections: clients, times }, ({ client, apiKey, durationMs }) =>
        name === 'bare'
          ? runThere(client, { clients, durationMs })
          : closedLoop({ clients, durationMs }, async () => void (await createPayment(client, apiKey))),
      ),
  }));
}

/**
 * Long enough for the compiler to be done with what the rest before it has made it forget, and for what comes each
 * 10 s, such as the collection of a whole heap, to count for about as much as it does in a day.
 */
const steady = { rampMs: 5_000, durationMs: 12_000 };

/**
 * How even the answers are when nothing is saturated: half of the rate that was reached, sent steadily over as many
 * connections. The minimal server says how even the machine lets them be.
 */
async function atHalfLoad(context: Context, targets: Targets, rows: Row[]): Promise<Section> {
  const times = context.quick ? context : steady;
  const cases = (['minimal', 'gateway alone', 'everything running'] as const).map((name): Case => {
    const perSecond = (rows.find((row) => row.name === name)?.perSecond.median ?? 0) / 2;
    return {
      name,
      run: () =>
        onTarget(targets[name], { connections: widest, times }, ({ client, apiKey, durationMs }) =>
          openLoop({ perSecond, durationMs }, async () => void (await createPayment(client, apiKey))),
        ),
    };
  });
  const halves = await inRounds(cases, { rounds: context.rounds, warmUpRounds: 0 });
  return {
    name: 'Creates at half load',
    about:
      'Sent at a steady rate, half of what 64 clients reach; timed from the moment at which each was due.',
    rows: halves,
    figures: halves.map(({ name, tail }) => ({ name: `p99 of ${name}`, unit: 'times its p50', value: tail })),
  };
}

/** Measures a load once it has run for a while: what has idled while others were measured is slow for some seconds. */
async function onTarget(
  { url, apiKey, pids, after }: Target,
  { connections, times }: { connections: number; times: Times },
  load: (on: { client: LoadClient; apiKey: string; durationMs: number }) => Promise<Load>,
): Promise<Sample> {
  const client = createLoadClient(url, connections);
  try {
    if (times.rampMs > 0) await load({ client, apiKey, durationMs: times.rampMs });
    return await withCpu(pids(), () => load({ client, apiKey, durationMs: times.durationMs }));
  } finally {
    await client.close();
    await after?.();
  }
}

async function runThere(client: LoadClient, options: { clients: number; durationMs: number }): Promise<Load> {
  const { body } = await client.send({ method: 'POST', path: '/run', body: JSON.stringify(options) });
  return JSON.parse(body) as Load;
}
