import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findFreePort } from '#infra/process/free-port.ts';
import { findProgram } from '#infra/process/find-program.ts';
import { listUsers } from '#infra/process/run-as.ts';
import { startUntilReady } from '#infra/process/start-process.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { query } from './database.ts';
import { useTempFolder } from '../tests/for-file.ts';

export const hasPgBouncer = findProgram('pgbouncer') !== undefined;
if (!hasPgBouncer)
  process.stderr.write(
    '\nSkipped: connection poolers, because pgbouncer is not installed here\n\n',
  );

/** It refuses to run as root. */
const nobody =
  process.getuid?.() === 0 ? listUsers().find(({ name }) => name === 'nobody') : undefined;

/** Starts PgBouncer before a PostgreSQL, until the test is over. @returns the URL through it */
export async function usePgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<string> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const listenPort = await findFreePort();
  const folder = useTempFolder();
  const file = join(folder, 'pgbouncer.ini');
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  };
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
${Object.entries(all)
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`,
  );
  if (nobody) for (const each of [folder, file]) chownSync(each, nobody.uid, nobody.gid);
  const url = new URL(databaseUrl);
  url.port = String(listenPort);
  const watchdog = startWatchdog();
  onTestFinished(() => watchdog.close());
  const running = await startUntilReady(
    {
      launch: {
        name: 'pgbouncer',
        command: findProgram('pgbouncer') ?? '',
        args: [file],
        stopSignal: 'SIGTERM',
        ...(nobody && { uid: nobody.uid, gid: nobody.gid }),
      },
      isReady: () =>
        query(url.href, 'select 1').then(
          () => true,
          () => false,
        ),
    },
    { watchdog },
  );
  onTestFinished(async () => void (await running.stop(10_000)));
  return url.href;
}
