import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '#infra/process/free-port.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { parseLine, type Output } from '#infra/start/output.ts';
import { makePlan, type StackPlan } from '#infra/start/plan.ts';
import { loadSettings } from '#infra/start/settings.ts';
import { readStackFile } from '#infra/stores/stack-file.ts';
import { startStack } from '#infra/start/start-stack.ts';
import { Supervisor } from '#infra/start/supervise.ts';
import { prepareExternalServer } from '../stores/external-store.ts';
import { startTcpProxy, type TcpProxy } from '../stores/tcp-proxy.ts';
import { makeTempFolder, removeFolder } from '../processes/temp-folder.ts';
import { isStackReady } from './test-stack.ts';

/**
 * The proxied links: to each store, the provider, the processor's callbacks, and the merchant API.
 */
export const links = [
  'event-store',
  'postgres',
  'nats',
  'provider',
  'callbacks',
  'merchants',
] as const;
export type LinkName = (typeof links)[number];

export type ProxiedStack = Awaited<ReturnType<typeof startProxiedStack>>;

/** Short waits for merchants; webhooks are retried until the run ends. */
const settings = {
  PROVIDER_ACCEPTANCE_MS: '3000',
  // Longer than any fault of a link or freeze of a process.
  BANK_ARRIVAL_MS: '12000',
  BANK_CLOCK_SKEW_MS: '1000',
  WEBHOOK_RETRY_SCHEDULE: ['0s', '200ms', '500ms', ...Array.from({ length: 40 }, () => '1s')].join(
    ',',
  ),
  LOG_LEVEL: 'warn',
  GATEWAY_PORT: '0',
  ADMIN_PORT: '0',
  PAY_PORT: '0',
  PORTAL_PORT: '0',
  SANDBOX_PORT: '0',
};
const keptComplaints = 60;
const keptGists = 100;

/**
 * Starts a stack in a folder of its own, with the supervisor's code. Its services reach each store,
 * the provider and each other through proxies.
 * @throws when it does not get ready
 */
export async function startProxiedStack(instances: number) {
  const dataDir = makeTempFolder();
  const { complaints, output } = listenForComplaints();
  const given = await superviseExternalStore(dataDir, output);
  const own = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    // Each service dies alone.
    PROCESSES: 'apart',
    ...settings,
    ...given?.env,
    DATA_DIR: dataDir,
  };
  const plan = await makePlan(loadSettings(own), realpathSync(dataDir), own, { instances });
  const { env } = plan;
  const { through, proxied } = await putBetween(plan);
  const stack = startStack({ ...plan, env: proxied }, output);
  const stop = async () => {
    await Promise.all(Object.values(through).map((proxy) => proxy.close()));
    await stack.stop();
    await given?.stop();
    removeFolder(dataDir);
  };
  try {
    await stack.ready;
  } catch (error) {
    await stop();
    throw error;
  }
  const url = (name: string) => `http://127.0.0.1:${env[name]}`;
  return {
    dataDir,
    /** Direct URLs, without a proxy. */
    stores: {
      EVENT_STORE_URL: env['EVENT_STORE_URL'] ?? '',
      DATABASE_URL: env['DATABASE_URL'] ?? '',
    },
    /** `gateway` goes through a proxy; the other URLs do not. */
    urls: {
      gateway: `http://127.0.0.1:${through.merchants.port}`,
      admin: url('ADMIN_PORT'),
      pay: url('PAY_PORT'),
      sandbox: url('SANDBOX_PORT'),
    },
    adminToken: plan.secrets.values.ADMIN_TOKEN,
    links: through,
    /**
     * Signals a process, and with any signal but SIGKILL its children too.
     * @returns its pids; none if it is not running
     */
    signal: (name: string, signal: NodeJS.Signals): readonly number[] => {
      const pid =
        given && name === 'event-store' ? given.pid() : readStackFile(dataDir)?.processes[name];
      if (pid === undefined) return [];
      // The next PostgreSQL has to recognise a killed one's leftovers itself.
      const pids = signal === 'SIGKILL' ? [pid] : [pid, ...childProcesses(pid)];
      return pids.filter((each) => send(each, signal));
    },
    waitReady: async () => {
      const isReady = () => isStackReady(dataDir);
      await eventually('every service is ready', isReady, { intervalMs: 100 });
    },
    complaints,
    stop,
  };
}

/** The server of EVENT_STORE_COMMAND, restarted as the stack restarts its own store. */
async function superviseExternalStore(dataDir: string, output: Output) {
  const place = { folder: join(dataDir, 'event-store'), port: await findFreePort() };
  const prepared = prepareExternalServer(place);
  if (prepared === undefined) return undefined;
  const watchdog = startWatchdog();
  const supervisor = new Supervisor(
    { name: 'event-store', stage: 0, prepare: () => prepared },
    { watchdog, output, onChange: () => undefined },
  );
  return {
    env: { EVENT_STORE_URL: prepared.url },
    pid: () => supervisor.pid(),
    stop: async () => {
      await supervisor.stop(10_000);
      await watchdog.close();
    },
  };
}

/** A proxy before each link, and the environment in which services go through them. */
async function putBetween({ env, ports }: StackPlan) {
  const port = (name: string) => Number(env[name]);
  const before = {
    'event-store': Number(new URL(env['EVENT_STORE_URL'] ?? '').port),
    postgres: ports.postgres,
    nats: ports.nats,
    provider: port('SANDBOX_PORT'),
    callbacks: port('PROCESSOR_PORT'),
    merchants: port('GATEWAY_PORT'),
  } as const satisfies Record<LinkName, number>;
  const proxies: Partial<Record<LinkName, TcpProxy>> = {};
  for (const link of links) proxies[link] = await startTcpProxy(`tcp://127.0.0.1:${before[link]}`);
  const through = proxies as Record<LinkName, TcpProxy>;
  const detour = (url: string | undefined, link: LinkName) =>
    (url ?? '').replace(`:${before[link]}`, `:${through[link].port}`);
  const proxied = {
    ...env,
    EVENT_STORE_URL: detour(env['EVENT_STORE_URL'], 'event-store'),
    DATABASE_URL: detour(env['DATABASE_URL'], 'postgres'),
    NATS_URL: detour(env['NATS_URL'], 'nats'),
    SANDBOX_URL: detour(env['SANDBOX_URL'], 'provider'),
    BANK_URL: detour(env['BANK_URL'], 'provider'),
    SANDBOX_CALLBACK_URL: detour(env['SANDBOX_CALLBACK_URL'], 'callbacks'),
  };
  return { through, proxied };
}

/** Lines of processes at level warning or above: the newest ones, and counts of similar ones. */
function listenForComplaints() {
  const newest: string[] = [];
  const counts = new Map<string, number>();
  const complain = (name: string, line: string) => {
    const gist = summarizeLine(line);
    if (gist === undefined) return;
    newest.push(`${name} | ${line}`);
    if (newest.length > keptComplaints) newest.shift();
    const what = `${name}: ${gist}`;
    if (counts.has(what) || counts.size < keptGists) counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  const output: Output = {
    line: complain,
    log: (severity, text) => complain('supervisor', JSON.stringify({ level: severity, msg: text })),
    print: () => undefined,
  };
  return { complaints: { newest, counts }, output };
}

/** PostgreSQL's sessions are child processes, which would continue to work. */
export function childProcesses(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Sends a signal; false if there is no such process. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** A line without its variable parts. */
function summarizeLine(line: string): string | undefined {
  const entry = parseLine(line);
  if (entry === undefined || !['warn', 'error', 'fatal'].includes(entry.severity)) return undefined;
  const { msg } = line.startsWith('{')
    ? (JSON.parse(line) as { msg?: unknown })
    : { msg: entry.text };
  return String(msg)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '…')
    .slice(0, 100);
}
