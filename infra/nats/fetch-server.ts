import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createWaitTimer } from '#shared/platform/logging/wait-log.ts';
import { findProgram } from '../process/find-program.ts';
import { cacheFolder } from './find-server.ts';

const run = promisify(execFile);

type FetchOptions = {
  /** Where the package is unpacked. */
  readonly folder?: string;
  /** More options of apt, as `Name=value`. */
  readonly aptOptions?: readonly string[];
  /** Receives a line after 10 s, and then every 30 s. */
  readonly onProgress?: (line: string) => void;
};

/**
 * Fetches the distribution's nats-server package with apt and unpacks it into the project's cache.
 * Lists and archives lie in folders of the project's own, so that this needs no root and leaves the
 * system as it was. It takes as long as bytes arrive; what a failed fetch has got is kept for the
 * next one, in which apt resumes.
 * @throws one line that says why it is not possible here, or what failed
 */
export async function fetchNatsServer({
  folder = cacheFolder,
  aptOptions = [],
  onProgress = () => undefined,
}: FetchOptions = {}): Promise<void> {
  for (const tool of ['apt-get', 'dpkg-deb']) {
    if (findProgram(tool) === undefined) throw new Error(`${tool} is not on this system`);
  }
  const work = `${folder}-fetch`;
  for (const part of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(work, part), { recursive: true });
  // apt's own user for downloads passes through here, where the folders above let it.
  chmodSync(work, 0o755);
  const runApt = async (program: string, ...args: string[]) => {
    const { stdout } = await run(program, ['-q', ...options(work, aptOptions), ...args], {
      // Not where the archive is: apt would remove it.
      cwd: join(work, 'state'),
      env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    });
    return stdout;
  };
  const endProgress = reportProgress(work, onProgress);
  try {
    await runApt('apt-get', 'update');
    const printed = await runApt('apt-get', 'download', '--print-uris', 'nats-server');
    const [, url = '', file = '', hash = ''] = /^'(.+)' (\S+) \d+ (\S+)$/m.exec(printed) ?? [];
    if (file === '') throw new Error('apt names no package');
    // Unlike `apt-get download` it resumes what an earlier call has left.
    await runApt('/usr/lib/apt/apt-helper', 'download-file', url, join(work, file), hash);
    await run('dpkg-deb', ['-x', join(work, file), join(work, 'unpacked')]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(work, 'unpacked'), folder);
    rmSync(work, { recursive: true, force: true });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    const errorLine = stderr.split('\n').find((line) => line.startsWith('E: '));
    throw new Error(errorLine?.slice(3) ?? (error as Error).message.split('\n')[0], {
      cause: error,
    });
  } finally {
    endProgress();
  }
}

function reportProgress(work: string, onProgress: (line: string) => void): () => void {
  const readTimer = createWaitTimer();
  const timer = setInterval(() => {
    const waitedS = readTimer();
    if (waitedS !== undefined)
      onProgress(`fetching nats-server: ${megabytes(work)} MB after ${waitedS} s`);
  }, 1000);
  return () => clearInterval(timer);
}

/** What the folder holds. apt renames and removes files meanwhile. */
function megabytes(folder: string): string {
  const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0,
  );
  return (sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1);
}

function options(work: string, more: readonly string[]): string[] {
  return [
    `Dir::State=${work}/state`,
    `Dir::Cache=${work}/cache`,
    'Dir::State::status=/var/lib/dpkg/status',
    // Only the lists of packages are needed; the descriptions of desktop programs are most of a
    // download.
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    'Acquire::Languages=none',
    'Acquire::Retries=1',
    // Of a connection on which nothing arrives.
    'Acquire::http::Timeout=30',
    'Acquire::https::Timeout=30',
    'APT::Update::Error-Mode=any',
    // The folders are this user's own, below which apt's download user may not come.
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
    ...more,
  ].flatMap((option) => ['-o', option]);
}
