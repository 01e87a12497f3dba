import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '#infra/process/free-port.ts';
import { findProgram } from '#infra/process/find-program.ts';
import { nodeFlags } from '#infra/process/node-flags.ts';
import { startProcess, type RunningProcess } from '#infra/process/start-process.ts';
import { spawnBackup } from '#infra/backup/testing/run-backup.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { eventually, waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { answers } from '#infra/start/health.ts';
import { services } from '#infra/start/services.ts';
import { setUpMerchant, type TestMerchant } from '#infra/verify/harness/shops/merchant.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { compose, ofKind, root, type Manifest } from './testing/manifests.ts';
import { proxyNames, startProxy, type Proxy } from './testing/proxies.ts';

const installed = proxyNames.filter((name) => findProgram(name));
const missing = proxyNames.filter((name) => !installed.includes(name));
if (missing.length > 0)
  process.stderr.write(`\nSkipped: restarts behind ${missing.join(', ')}, not installed here\n\n`);
/** The deployed services that run in a gateway process of `npm start`. */
const members = services.filter(({ own, name }) => own && name !== 'projections');
const watchdog = startWatchdog();
const environment = {
  STOP_DELAY_MS: String(compose.services['merchant-api'].environment.STOP_DELAY_MS),
  GATEWAY_TRUSTED_PROXIES: '1',
  PAY_TRUSTED_PROXIES: '1',
  ADMIN_TRUSTED_PROXIES: '1',
  PORTAL_TRUSTED_PROXIES: '1',
};

let stack: TestStack;
let second: { readonly ports: Record<string, string>; process: RunningProcess };
let folder: string;
let merchants: TestMerchant[] = [];
const proxies: Proxy[] = [];

const portOf = (name: string, instance: number): number => {
  const variable = services.find((each) => each.name === name)?.port ?? '';
  return Number((instance === 1 ? stack.env : { ...stack.env, ...second.ports })[variable]);
};

/** A second gateway alongside that of the stack: the same services on other ports. */
function startSecond(ports: Record<string, string>): RunningProcess {
  const mains = members.map(({ main }) => join(root, main));
  return startProcess(
    {
      name: 'gateway-2',
      command: process.execPath,
      args: [...nodeFlags, join(root, 'infra/start/services-in-one-process.ts'), ...mains],
      cwd: root,
      env: { PATH: process.env['PATH'], ...stack.env, ...environment, ...ports },
      stopSignal: 'SIGTERM',
    },
    { watchdog },
  );
}

const untilSecondIsReady = () =>
  eventually(
    'the second gateway is ready',
    async () => {
      const probes = members.map(({ name }) => `http://127.0.0.1:${portOf(name, 2)}/readyz`);
      return (await Promise.all(probes.map((probe) => answers(probe)))).every(Boolean);
    },
    { intervalMs: 100 },
  );

beforeAll(async () => {
  // As deployed: the event store outlives a restart of the gateway.
  stack = await startTestStack({ env: { ...environment, PROCESSES: 'apart' } });
  const taken = new Set<number>();
  const free = async () => {
    const port = await findFreePort(taken);
    taken.add(port);
    return port;
  };
  const ports: Record<string, string> = {};
  for (const { port, own } of members)
    for (const variable of new Set([port, own?.variable ?? port]))
      ports[variable] = String(await free());
  second = { ports, process: startSecond(ports) };
  const settings = { rate_limit: { per_second: 1_000, burst: 2_000 } };
  const slow = [{ options: { accept_delay_ms: 1_000 } }];
  merchants = [
    await setUpMerchant(stack, { settings }),
    await setUpMerchant(stack, { settings, routes: slow }),
  ];
  await untilSecondIsReady();
  folder = makeTempFolder();
  for (const name of installed) {
    const own = [await free(), await free(), await free(), await free(), await free()];
    proxies.push(startProxy(name, { folder, ports: own, portOf, watchdog }));
  }
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await Promise.all(merchants.map((merchant) => merchant.close()));
  await second?.process.stop(10_000, 'SIGKILL');
  await stack?.stop();
  await watchdog.close();
  if (folder) removeFolder(folder);
});

type Reply = { readonly status: number | string; readonly body: string };

/** Sends a request as a merchant's server does. @returns the error as status on failure */
function send(port: number, agent: Agent, path: string, body: object, apiKey: string) {
  return new Promise<Reply>((resolve) => {
    const failed = (error: NodeJS.ErrnoException) =>
      resolve({ status: error.code ?? error.message, body: '' });
    const headers = {
      host: 'api.example.com',
      'content-type': 'application/json',
      'x-api-key': apiKey,
    };
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers, agent };
    const sent = httpRequest({ ...options, timeout: waitLimitMs }, (answer) => {
      text(answer).then(
        (received) => resolve({ status: answer.statusCode ?? 0, body: received }),
        failed,
      );
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', failed);
    sent.end(JSON.stringify(body));
  });
}

type Load = { answered: number; readonly failed: string[]; readonly stop: () => Promise<void> };

/** More would make a slow machine refuse creates, which is no fault of a restart. */
const maxInProgress = 4;

/**
 * At most seven creates per second through a proxy, each read afterwards; one in ten takes a
 * second.
 */
function startLoad({ name, port }: Proxy): Load {
  const agent = new Agent({ keepAlive: true });
  const started: Promise<void>[] = [];
  let inProgress = 0;
  const failed: string[] = [];
  const one = async (key: string, { apiKey }: TestMerchant) => {
    const ask = async (path: string, body: object, id?: string): Promise<string | undefined> => {
      const reply = await send(port, agent, path, body, apiKey);
      const answer = reply.body.startsWith('{') ? JSON.parse(reply.body) : {};
      const { operation_id: got, status } = answer;
      if (reply.status === 200 && status === 'pending' && got === (id ?? got)) load.answered += 1;
      else failed.push(`${path} ${key}: ${reply.status} ${reply.body}`);
      return got;
    };
    const operation = { client_id: 'c', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' };
    const id = await ask('/v1/payment', { merchant_operation_id: key, ...operation });
    if (id !== undefined) await ask('/v1/get_operation_state', { operation_id: id }, id);
  };
  const timer = setInterval(() => {
    const count = started.length;
    const merchant = merchants[count % 10 === 9 ? 1 : 0];
    if (!merchant || inProgress >= maxInProgress) return;
    inProgress += 1;
    started.push(one(`${name}-${count}`, merchant).finally(() => (inProgress -= 1)));
  }, 150);
  const load: Load = {
    answered: 0,
    failed,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(started);
      agent.destroy();
    },
  };
  return load;
}

async function restart(instance: number): Promise<void> {
  if (instance === 1) {
    const pid = stack.pids()['merchant-api'] ?? 0;
    stack.kill('merchant-api', 'SIGTERM');
    return stack.waitReady([pid]);
  }
  second.process.kill('SIGTERM');
  expect(await second.process.exited).toEqual({ code: 0, signal: null });
  second.process = startSecond(second.ports);
  return untilSecondIsReady();
}

const untilEachProxy = (what: string, holds: (proxy: Proxy, index: number) => Promise<boolean>) =>
  eventually(what, async () => (await Promise.all(proxies.map(holds))).every(Boolean), {
    intervalMs: 100,
  });
/** Until the status and log of each proxy, from that line on, show every server as up. */
const untilAllUp = (lines: readonly number[] = []) =>
  untilEachProxy('every server is up', (proxy, index) => proxy.allUp(lines[index] ?? 0));

describe.skipIf(installed.length === 0)('a rolling restart of two gateways under load', () => {
  const loads = new Map<string, Load>();
  beforeAll(async () => {
    await untilEachProxy('each proxy listens', async ({ port }) => {
      const { status } = await send(port, new Agent(), '/', {}, '');
      return status === 404;
    });
    for (const proxy of proxies) loads.set(proxy.name, startLoad(proxy));
    try {
      await untilAllUp();
      for (const instance of [1, 2]) {
        await restart(instance);
        await untilAllUp(proxies.map((proxy) => proxy.output().length));
      }
    } finally {
      await Promise.all([...loads.values()].map((load) => load.stop()));
    }
  });

  for (const name of proxyNames)
    it.skipIf(!installed.includes(name))(
      `fails no request behind ${name} with the shipped configuration; all servers recover`,
      async () => {
        const [load, proxy] = [loads.get(name), proxies.find((each) => each.name === name)];
        if (!load || !proxy) throw new Error(`${name} was not started`);
        // oxlint-disable-next-line no-console -- prints the figures of the run
        console.info(`${name}: ${load.answered} answered, ${load.failed.length} failed`);
        expect(load.failed).toEqual([]);
        expect(load.answered).toBeGreaterThan(0);
        // A proxy logs a request when it has been answered.
        await expect.poll(() => proxy.statuses().length).toBeGreaterThanOrEqual(load.answered);
        expect(proxy.statuses().filter((status) => status >= 500)).toEqual([]);
        const output = proxy.output().join('\n');
        for (const { apiKey } of merchants) expect(output).not.toContain(apiKey);
      },
    );
});

it.skipIf(installed.length === 0)(
  'routes to the payment page and the portal, and to the processor only for callbacks',
  async () => {
    const ask = (proxy: Proxy, edge: 'pay' | 'portal' | 'callbacks', request: string) =>
      firstLineOf(proxy.portFor(edge), `${request} HTTP/1.1\r\nHost: ${edge}.example.com`);
    for (const proxy of proxies) {
      const edges = ['pay', 'portal', 'callbacks'] as const;
      const ready = await Promise.all(edges.map((edge) => ask(proxy, edge, 'GET /readyz')));
      // Without a signature.
      const unsigned = await ask(proxy, 'callbacks', 'POST /callbacks/sandbox');
      const statuses = [...ready, unsigned].map((line) => line?.split(' ')[1]);
      expect([proxy.name, ...statuses]).toEqual([proxy.name, '204', '204', '404', '401']);
    }
  },
);

/** The first line of the response. */
async function firstLineOf(port: number, request: string): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${request}\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).split('\r\n')[0];
}

/** A request as kubelet sends it, with the pod's address as host. */
const probeAsKubelet = (port: number, path: string) =>
  firstLineOf(
    port,
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: kube-probe/1.30\r\nAccept: */*`,
  );

/** It is no part of `npm start`. */
const backup = forFile(async () => {
  const port = await findFreePort();
  const env = { DATA_DIR: stack.dataDir, BACKUP_PORT: String(port) };
  const { stop } = spawnBackup(env, '--to', join(folder, 'copy'));
  await eventually('the backup is ready', () => answers(`http://127.0.0.1:${port}/readyz`));
  return { port, stop };
});

it.each(ofKind('Deployment').map((deployment) => [deployment.metadata.name, deployment] as const))(
  'kubernetes: answers the probes of %s with 204, and its metrics with 200',
  async (name, { spec: { template } }: Manifest) => {
    const [container] = template.spec.containers;
    const service = services.find((each) => each.name === name);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container[probe].httpGet;
      expect(port).toBe('http');
      const probed = name === 'backup' ? backup.port : portOf(name, 1);
      expect(await probeAsKubelet(probed, path)).toBe('HTTP/1.1 204 No Content');
    }
    const scraped = Number(template.metadata.annotations['prometheus.io/port']);
    const { name: which } = container.ports.find(
      ({ containerPort }: Manifest) => containerPort === scraped,
    );
    const variable = which === 'http' ? service?.port : service?.own?.variable;
    const port = name === 'backup' ? backup.port : Number(stack.env[variable ?? '']);
    expect(await probeAsKubelet(port, '/metrics')).toBe('HTTP/1.1 200 OK');
  },
);
