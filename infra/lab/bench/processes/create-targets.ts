import { createLoadClient, type LoadClient } from '#infra/lab/load/http-client.ts';
import type { CommandPath } from './command-path.ts';
import type { WholeStack } from './whole-stack.ts';

/** A server that payments are created at, and what works for it. */
export type Target = {
  url: string;
  apiKey: string;
  pids: () => number[];
  after?: () => Promise<void>;
};

/**
 * What `npm start` runs; and the same with the provider that the minimal server has, behind one
 * more merchant API.
 */
export async function startStackTargets({ servers, provider }: CommandPath, whole: WholeStack) {
  const { GATEWAY_METRICS_PORT: _, ...env } = whole.env;
  const gateway = await servers.start('services/merchant-api/main.ts', {
    port: 'GATEWAY_PORT',
    env: { ...env, SANDBOX_URL: provider.url },
  });
  const { shop, atRest: after } = whole;
  const { apiKey } = shop;
  const ends = await whole.makeShopOfEnds();
  return {
    'everything running': {
      url: gateway.url,
      apiKey,
      pids: () => [...whole.pids(), gateway.pid, provider.pid],
      after,
    },
    'everything running, sandbox provider': { url: whole.url, apiKey, pids: whole.pids, after },
    'everything running, payments that end': {
      url: whole.url,
      apiKey: ends.apiKey,
      pids: whole.pids,
      after,
    },
  } satisfies Record<string, Target>;
}

/** The command path alone, and what it is held against. */
export async function startCommandPathTargets(path: CommandPath) {
  const { servers, eventStoreUrl, provider, eventStorePid, shop } = path;
  const env = {
    EVENT_STORE_URL: eventStoreUrl,
    PROVIDER_URL: provider.url,
  };
  const start = (name: string) =>
    servers.start(`infra/lab/bench/servers/${name}.ts`, { port: 'PORT', env });
  const bare = await start('bare-appender');
  const minimal = await start('minimal');
  const gateway = await path.startGateway();
  const sandbox = await path.startSandbox();
  const onSandbox = await path.startGateway(sandbox);
  const { apiKey } = shop;
  const target = (url: string, ...pids: number[]): Target => ({ url, apiKey, pids: () => pids });
  return {
    bare: target(bare.url, bare.pid, eventStorePid),
    minimal: target(minimal.url, minimal.pid, eventStorePid, provider.pid),
    'gateway alone': target(gateway.url, gateway.pid, eventStorePid, provider.pid),
    'gateway alone, sandbox provider': target(
      onSandbox.url,
      onSandbox.pid,
      eventStorePid,
      sandbox.pid,
    ),
  } satisfies Record<string, Target>;
}

export type Targets = Awaited<ReturnType<typeof startCommandPathTargets>> &
  Awaited<ReturnType<typeof startStackTargets>>;

type OnTarget = { client: LoadClient; apiKey: string };

/** Connects, does that, and waits until the workers have done what they are behind with. */
export async function onTarget<T>(
  { url, apiKey, after }: Target,
  connections: number,
  run: (on: OnTarget) => Promise<T>,
): Promise<T> {
  const client = createLoadClient(url, connections);
  try {
    return await run({ client, apiKey });
  } finally {
    await client.close();
    await after?.();
  }
}
