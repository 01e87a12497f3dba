import { createLoadClient } from '#infra/lab/load/http-client.ts';
import { closedLoop, type Load } from '#infra/lab/load/loops.ts';
import { startWorker } from '#infra/lab/targets/servers.ts';
import { createOperation } from '../load/create.ts';
import type { AppenderOrder } from '../servers/bare-appender.ts';
import type { CommandPath } from './command-path.ts';
import type { WholeStack } from './whole-stack.ts';

type Connected = { load(durationMs: number): Promise<Load>; close(): Promise<void> };

/** A target for creates, with its processes. */
export type Target = {
  pids: () => number[];
  connect(clients: number): Connected;
  /** Waits until the workers have caught up. */
  after?: () => Promise<void>;
};
export type Targets = Readonly<Record<string, Target>>;

const connectTo =
  (url: string, apiKey: string) =>
  (clients: number): Connected => {
    const client = createLoadClient(url, clients);
    const once = async () => void (await createOperation(client, apiKey));
    return {
      load: (durationMs) => closedLoop({ clients, durationMs }, once),
      close: () => client.close(),
    };
  };

/**
 * The processes of `npm start` with another merchant API that uses the minimal server's provider.
 */
export async function startStackTargets(
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
export async function startCommandPathTargets(path: CommandPath): Promise<Targets> {
  const { servers, eventStoreUrl, provider, eventStorePid, shop } = path;
  const env = { EVENT_STORE_URL: eventStoreUrl, PROVIDER_URL: provider.url };
  const bare = startWorker<AppenderOrder>('infra/lab/bench/servers/bare-appender.ts', env);
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
        load: (durationMs) => bare.ask<Load>({ order: 'run', clients, durationMs }),
        close: async () => undefined,
      }),
    },
    minimal: target(minimal),
    'gateway alone': target(await path.startGateway()),
  };
}
