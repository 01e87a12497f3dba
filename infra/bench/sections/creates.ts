import type { Context } from '../context.ts';
import { createLoadClient, type LoadClient } from '../load/http-client.ts';
import { closedLoop, openLoop, type Load } from '../load/loops.ts';
import { createPayment } from '../load/payments.ts';
import type { Section } from '../report/section.ts';
import { inRounds, withCpu, type Case, type Row, type Sample } from '../rounds.ts';

const widest = 64;
const widths = [1, 16, widest] as const;

type Target = { url: string; apiKey: string; pids: () => number[]; after?: () => Promise<void> };

/** Payments created per second, alone and with everything running, beside the least that could be done. */
export async function measureCreates(context: Context): Promise<Section[]> {
  const targets = await startTargets(context);
  await warmUp(context, targets);
  const sections: Section[] = [];
  for (const clients of context.quick ? [widest] : widths) {
    const rows = await inRounds(casesOf(context, targets, clients), context.rounds);
    sections.push({
      name: `Creates, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
      about:
        'Payments created. "minimal": a Hono server with two appends of an event each and one call of a trivial provider between them.',
      rows,
      figures: [],
    });
    if (clients === widest) sections.push(await atHalfLoad(context, targets, rows));
  }
  return sections;
}

/** A server runs for weeks: its code is compiled before anything counts, the longest of which takes some ten seconds. */
async function warmUp({ quick }: Context, targets: Targets): Promise<void> {
  const durationMs = quick ? 2_000 : 10_000;
  for (const each of casesOf({ durationMs }, targets, widest)) await each.run();
}

async function startTargets(context: Context) {
  const path = await context.commandPath();
  const { servers, eventStoreUrl, databaseUrl, provider, eventStorePid, databasePid, shop } = path;
  const env = { EVENT_STORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl, PROVIDER_URL: provider.url };
  const start = (name: string) => servers.start(`infra/bench/servers/${name}.ts`, { port: 'PORT', env });
  const bare = await start('bare-appender');
  const minimal = await start('minimal');
  const postgres = await start('postgres-gateway');
  const gateway = await path.startGateway();
  const sandbox = await path.startSandbox();
  const onSandbox = await path.startGateway(sandbox);
  const whole = await context.wholeStack();
  const { apiKey } = shop;
  const target = (url: string, ...pids: number[]): Target => ({ url, apiKey, pids: () => pids });
  return {
    bare: target(bare.url, bare.pid, eventStorePid),
    minimal: target(minimal.url, minimal.pid, eventStorePid, provider.pid),
    'in PostgreSQL': target(postgres.url, postgres.pid, databasePid, provider.pid),
    'gateway alone': target(gateway.url, gateway.pid, eventStorePid, provider.pid),
    'gateway alone, sandbox provider': target(onSandbox.url, onSandbox.pid, eventStorePid, sandbox.pid),
    'gateway, everything running': {
      url: whole.url,
      apiKey: whole.shop.apiKey,
      pids: whole.pids,
      after: whole.atRest,
    },
  } satisfies Record<string, Target>;
}

type Targets = Awaited<ReturnType<typeof startTargets>>;

function casesOf({ durationMs }: Pick<Context, 'durationMs'>, targets: Targets, clients: number): Case[] {
  const against: Partial<Record<keyof Targets, string[]>> = {
    minimal: ['bare'],
    'in PostgreSQL': ['minimal'],
    'gateway alone': ['minimal', 'in PostgreSQL'],
    'gateway alone, sandbox provider': ['minimal'],
    'gateway, everything running': ['minimal', 'in PostgreSQL'],
  };
  return (Object.keys(targets) as (keyof Targets)[]).map((name) => ({
    name,
    against: against[name] ?? [],
    run: () =>
      onTarget(targets[name], clients, (client, apiKey) =>
        name === 'bare'
          ? runThere(client, { clients, durationMs })
          : closedLoop({ clients, durationMs }, async () => void (await createPayment(client, apiKey))),
      ),
  }));
}

/**
 * How even the answers are when nothing is saturated: half of the rate that was reached, sent steadily over as many
 * connections. The minimal server says how even the machine lets them be.
 */
async function atHalfLoad({ durationMs, rounds }: Context, targets: Targets, rows: Row[]): Promise<Section> {
  const cases = (['minimal', 'gateway alone', 'gateway, everything running'] as const).map((name): Case => {
    const perSecond = (rows.find((row) => row.name === name)?.perSecond.median ?? 0) / 2;
    return {
      name,
      run: () =>
        onTarget(targets[name], widest, (client, apiKey) =>
          openLoop({ perSecond, durationMs }, async () => void (await createPayment(client, apiKey))),
        ),
    };
  });
  const halves = await inRounds(cases, rounds);
  return {
    name: 'Creates at half load',
    about:
      'Sent at a steady rate, half of what 64 clients reach; timed from the moment at which each was due.',
    rows: halves,
    figures: halves.map(({ name, p50Ms, p99Ms }) => {
      const times = p99Ms.median / p50Ms.median;
      return {
        name: `p99 of ${name}`,
        unit: 'times its p50',
        value: { median: times, min: times, max: times },
      };
    }),
  };
}

async function onTarget(
  { url, apiKey, pids, after }: Target,
  connections: number,
  load: (client: LoadClient, apiKey: string) => Promise<Load>,
): Promise<Sample> {
  const client = createLoadClient(url, connections);
  try {
    return await withCpu(pids(), () => load(client, apiKey));
  } finally {
    await client.close();
    await after?.();
  }
}

async function runThere(client: LoadClient, options: { clients: number; durationMs: number }): Promise<Load> {
  const { body } = await client.send({ method: 'POST', path: '/run', body: JSON.stringify(options) });
  return JSON.parse(body) as Load;
}
