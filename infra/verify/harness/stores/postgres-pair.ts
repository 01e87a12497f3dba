import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { preparePostgres } from '#infra/postgres/launch.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { freeze } from '#infra/process/testing/freeze.ts';
import { startProcess } from '#infra/process/start-process.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startWatchdog, type Watchdog } from '#infra/process/watchdog.ts';
import { query } from './database.ts';
import { useTempFolder } from '../tests/for-file.ts';
import { childProcesses, send } from '../stacks/proxied-stack.ts';
import { startTcpProxy } from './tcp-proxy.ts';

type PostgresServer = Awaited<ReturnType<typeof prepareServer>>;

/**
 * Two PostgreSQL servers, of which `second` replicates `first`, and a proxy that leads to `first`,
 * as a virtual address does. `url` is that of the services, through the proxy.
 */
export async function usePostgresPair() {
  const root = useTempFolder();
  const watchdog = startWatchdog();
  onTestFinished(() => watchdog.close());
  const folders = { first: join(root, 'first'), second: join(root, 'second') };
  const first = await prepareServer(folders.first, watchdog);
  // Once it has run with its settings, a stopped cluster is its own base backup. With its owner,
  // who is not root.
  await first.start();
  await first.stop();
  await promisify(execFile)('cp', ['--archive', folders.first, folders.second]);
  const second = await prepareServer(folders.second, watchdog);
  await first.start();
  await second.startAsStandby(first);
  const proxy = await startTcpProxy(first.url);
  onTestFinished(() => proxy.close());
  return { first, second, url: proxy.url, lead: (to: PostgresServer) => proxy.lead(to.url) };
}

async function prepareServer(folder: string, watchdog: Watchdog) {
  const port = await findFreePort();
  const { launch, url, superuserUrl, isReady } = await preparePostgres({ folder, port });
  const ask = <Row extends object>(text: string) => query<Row>(superuserUrl, text);
  const refused = new Set<string>();
  const onLine = (line: string) => {
    const [, application] = /^(\S+) 25006 /.exec(line) ?? [];
    if (application !== undefined) refused.add(application);
  };
  let stop: (signal?: NodeJS.Signals) => Promise<unknown> = () => Promise.resolve();
  let pid = () => 0;
  const run = async (options: readonly string[], ready: () => Promise<boolean>) => {
    const all = ['log_line_prefix=%a %e ', ...options].flatMap((option) => ['-c', option]);
    refused.clear();
    const started = { ...launch, args: [...launch.args, ...all] };
    const running = startProcess(started, { watchdog, onLine });
    onTestFinished(async () => void (await running.stop(10_000)));
    stop = (signal) => running.stop(60_000, signal);
    pid = () => running.pid;
    await eventually('PostgreSQL is ready', ready);
  };
  const isInRecovery = () =>
    ask<{ yes: boolean }>('select pg_is_in_recovery() as yes').then(
      ([row]) => row?.yes === true,
      () => false,
    );
  return {
    /** For the services. */
    url,
    superuserUrl,
    ask,
    /** The applications of which it refused a write since its start, because it only reads. */
    refused,
    start: () => run([], isReady),
    /** Starts it as a standby, which only reads until it is promoted. */
    startAsStandby: (primary: { superuserUrl: string }) => {
      writeFileSync(join(folder, 'data', 'standby.signal'), '');
      return run([`primary_conninfo=${primary.superuserUrl}`], isInRecovery);
    },
    promote: () => ask('select pg_promote()'),
    /** Cleanly: its standby has received everything then. */
    stop: () => stop(),
    kill: () => stop('SIGQUIT'),
    /** As a host that is lost: its connections stay open, and are silent. */
    freeze: async () => {
      const all = [pid(), ...childProcesses(pid())];
      onTestFinished(() => all.forEach((each) => send(each, 'SIGCONT')));
      await Promise.all(all.map(freeze));
    },
  };
}
