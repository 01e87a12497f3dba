import { execFile } from 'node:child_process';
import {
  chownSync,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runAsCommand, type RunAs } from '../process/run-as.ts';
import { passwordFile, readPassword } from '../stores/password-file.ts';
import type { PostgresBinaries } from './binaries.ts';
import { makeServicesRole, servicesRole } from './services-role.ts';

const execute = promisify(execFile);

export const superuser = 'gateway';

/**
 * Megabytes. A new segment of the write-ahead log is filled with zeros before its first use, which
 * delays commits of others on that disk: 9 ms with the usual 16.
 */
const walSegment = 1;

/** Whether a cluster was made there. */
export const hasCluster = (folder: string): boolean => existsSync(join(folder, 'data'));

/** The password of the role that the services log in as. */
export const readServicesPassword = (folder: string): string =>
  readPassword(folder, 'services-password');

/** The gateway's, in the cluster. */
export const database = 'gateway';

/**
 * Creates the cluster, with the gateway's database and its owner, if there is none. It is renamed
 * into place once it is durable, so that a crash leaves no partial one. Locale and encoding do not
 * depend on the system.
 * @throws with PostgreSQL's own words when it fails
 */
export async function ensureCluster(
  folder: string,
  programs: PostgresBinaries,
  { runAs, signal }: Omit<RunOptions, 'input'>,
): Promise<void> {
  if (hasCluster(folder)) return;
  const data = join(folder, 'data');
  const unfinished = `${data}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  readPassword(folder);
  const password = passwordFile(folder);
  if (process.getuid?.() === 0) {
    // initdb, which is not root, reads the password from this file.
    const owner = statSync(folder);
    chownSync(password, owner.uid, owner.gid);
  }
  const run = (program: string, args: readonly string[], input?: string) =>
    runToEnd(runAsCommand(runAs, program, args), {
      runAs,
      signal,
      ...(input !== undefined && { input }),
    });
  try {
    // Everything is synced at once, at the end.
    await run(programs.initdb, [
      `--pgdata=${unfinished}`,
      `--username=${superuser}`,
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--wal-segsize=${walSegment}`,
      '--no-instructions',
      '--no-sync',
    ]);
    await run(
      programs.postgres,
      // Its log must not show failed statements, one of which has a password.
      ['--single', '-F', '-c', 'log_min_error_statement=panic', '-D', unfinished, 'postgres'],
      `${makeServicesRole(readServicesPassword(folder))}\ncreate database ${database} owner ${servicesRole}\n`,
    );
    await run(programs.initdb, [`--pgdata=${unfinished}`, '--sync-only']);
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`initdb failed in ${folder}: ${stderr.trim() || String(error)}`, {
      cause: error,
    });
  }
  renameSync(unfinished, data);
}

type RunOptions = { runAs: RunAs; input?: string; signal?: AbortSignal | undefined };
type Command = { readonly command: string; readonly args: readonly string[] };

async function runToEnd(
  { command, args }: Command,
  { runAs: { uid, gid }, input = '', signal }: RunOptions,
): Promise<void> {
  const running = execute(command, args, {
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
    cwd: '/',
    signal,
    ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
  });
  // The exit of a process that has ended already is reported elsewhere.
  running.child.stdin?.on('error', () => undefined).end(input);
  await running;
}

/**
 * Removes the lock file of a PostgreSQL that is gone. PostgreSQL does so itself, unless the pid in
 * the file is by now that of another process of the same user, as happens after a restart of the
 * machine or a container.
 */
export function removeStaleLock(folder: string): void {
  const data = join(folder, 'data');
  const lock = join(data, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  if (!runsIn(pid, data)) rmSync(lock, { force: true });
}

/** PostgreSQL's working directory is its data folder, which identifies its process. */
function runsIn(pid: number, folder: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch (error) {
    // Another user's process can't be identified: leave the decision to PostgreSQL.
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}
