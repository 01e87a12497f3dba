import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { findFreePort } from '#infra/process/free-port.ts';
import { startUntilReady, type RunningProcess } from '#infra/process/start-process.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { answers } from '#infra/start/health.ts';
import { readStackFile } from '#infra/stores/stack-file.ts';
import { shareWithProcesses } from '#infra/verify/harness/stacks/shared-stack.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';

/** The stack that every test of this folder calls, over HTTP alone. */
export type Target = {
  /** Two instances of the merchant API on the same stores. */
  readonly gateways: readonly [string, string];
  /** GATEWAY_BASE_URL: where merchants reach them. */
  readonly gatewayUrl: string;
  readonly admin: string;
  readonly pay: string;
  readonly sandbox: string;
  /** Processor, projections, webhooks. */
  readonly inner: readonly string[];
  /** Every port of the services over HTTP, also those of their metrics. */
  readonly ports: readonly string[];
  readonly adminToken: string;
  readonly acceptanceWaitMs: number;
  /** The process that has the event store, and with it the first of the gateways. */
  readonly eventStorePid: number;
};

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL that returns the target. The first request starts it. */
    targetUrl: string;
  }
}

const variable = 'ACCEPTANCE_TARGET_URL';
/**
 * Long enough that half of it, the share of each of two routes, outlasts a machine that stalls for
 * seconds. Tests in which no provider answers wait for all of it, concurrently.
 */
const acceptanceWaitMs = 12_000;
const main = fileURLToPath(new URL('../../services/merchant-api/main.ts', import.meta.url));

let stack: TestStack | undefined;
let second: RunningProcess | undefined;
let shared: Awaited<ReturnType<typeof shareWithProcesses>> | undefined;
const watchdog = startWatchdog({ graceMs: 10_000 });

/**
 * Starts the stack with the first test that needs it: until then it would only be in the way of
 * other projects. One stack for all projects with this setup: the first of them publishes the URL
 * that returns it.
 */
export async function setup(project: TestProject): Promise<void> {
  if (process.env[variable] === undefined) {
    shared = await shareWithProcesses(start);
    process.env[variable] = shared.url;
  }
  project.provide('targetUrl', process.env[variable]);
}

/**
 * Starts a stack with short webhook delays, and a second merchant API.
 * ACCEPTANCE_DATA_DIR names the data of a stack that runs already; that one is used, and left
 * running.
 */
async function start(): Promise<Target> {
  const running = process.env['ACCEPTANCE_DATA_DIR'];
  if (running === undefined) {
    stack = await startTestStack({
      env: {
        PROVIDER_ACCEPTANCE_MS: String(acceptanceWaitMs),
        WEBHOOK_RETRY_SCHEDULE: `0s,300ms,300ms,1s,1s${',2s'.repeat(20)}`,
      },
    });
  }
  const file = readStackFile(running ?? stack?.dataDir ?? '');
  if (file === undefined) throw new Error(`no stack runs on ${running}`);
  const { env, processes, probes } = file;
  const port = await findFreePort(new Set([Number(env['GATEWAY_PORT'])]));
  const launch = {
    name: 'second-merchant-api',
    command: process.execPath,
    args: [main],
    env: { PATH: process.env['PATH'], ...env, GATEWAY_PORT: String(port) },
    stopSignal: 'SIGTERM',
  } as const;
  const at = (of: string | number | undefined) => `http://127.0.0.1:${of}`;
  const isReady = () => answers(`${at(port)}/readyz`);
  second = await startUntilReady({ launch, isReady }, { watchdog });
  const metricsPorts = Object.keys(env).filter((name) => name.endsWith('_METRICS_PORT'));
  return {
    gateways: [at(env['GATEWAY_PORT']), at(port)],
    gatewayUrl: env['GATEWAY_BASE_URL'] ?? '',
    admin: at(env['ADMIN_PORT']),
    pay: at(env['PAY_PORT']),
    sandbox: at(env['SANDBOX_PORT']),
    inner: ['PROCESSOR_PORT', 'PROJECTIONS_PORT', 'WEBHOOKS_PORT'].map((name) => at(env[name])),
    ports: [at(port), ...Object.values(probes), ...metricsPorts.map((name) => at(env[name]))],
    adminToken: env['ADMIN_TOKEN'] ?? '',
    acceptanceWaitMs: Number(env['PROVIDER_ACCEPTANCE_MS'] ?? acceptanceWaitMs),
    eventStorePid: processes['event-store'] ?? processes['gateway'] ?? 0,
  };
}

/** Stops what `setup` has started. */
export async function teardown(): Promise<void> {
  await shared?.close();
  await second?.stop(10_000);
  await stack?.stop();
  await watchdog.close();
}
