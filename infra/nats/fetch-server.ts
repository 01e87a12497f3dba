import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../process/find-program.ts';
import { cacheFolder } from './find-server.ts';

const run = promisify(execFile);

/**
 * Fetches the distribution's nats-server package with apt and unpacks it into the project's cache.
 * Lists and archives lie in folders of the project's own, so that this needs no root and leaves the
 * system as it was.
 * @throws one line that says why it is not possible here.
 */
export async function fetchNatsServer(timeoutMs = 90_000): Promise<void> {
  for (const tool of ['apt-get', 'dpkg-deb']) {
    if (findProgram(tool) === undefined) throw new Error(`${tool} is not on this system`);
  }
  mkdirSync(dirname(cacheFolder), { recursive: true });
  const work = mkdtempSync(join(dirname(cacheFolder), 'fetch-'));
  // apt's own user for downloads passes through here, where the folders above let it.
  chmodSync(work, 0o755);
  mkdirSync(join(work, 'state/lists/partial'), { recursive: true });
  mkdirSync(join(work, 'cache/archives/partial'), { recursive: true });
  const deadline = AbortSignal.timeout(timeoutMs);
  const apt = async (...args: string[]) => {
    await run('apt-get', ['-q', ...options(work), ...args], {
      cwd: work,
      signal: deadline,
      env: environment(),
    });
  };
  try {
    await apt('update');
    await apt('download', 'nats-server');
    const archive = readdirSync(work).find((file) => file.endsWith('.deb'));
    if (archive === undefined) throw new Error('apt has downloaded no package');
    await run('dpkg-deb', ['-x', join(work, archive), join(work, 'unpacked')], {
      signal: deadline,
    });
    rmSync(cacheFolder, { recursive: true, force: true });
    renameSync(join(work, 'unpacked'), cacheFolder);
  } catch (error) {
    if (deadline.aborted)
      throw new Error(`apt took more than ${timeoutMs / 1000} s`, { cause: error });
    const { stderr = '' } = error as { stderr?: string };
    const errorLine = stderr.split('\n').find((line) => line.startsWith('E: '));
    throw new Error(errorLine?.slice(3) ?? (error as Error).message.split('\n')[0], {
      cause: error,
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function options(work: string): string[] {
  return [
    `Dir::State=${work}/state`,
    `Dir::Cache=${work}/cache`,
    'Dir::State::status=/var/lib/dpkg/status',
    // Only the lists of packages are needed; the descriptions of desktop programs are most of a
    // download.
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    'Acquire::Languages=none',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=15',
    'Acquire::https::Timeout=15',
    'APT::Update::Error-Mode=any',
    // The folders are this user's own, below which apt's download user may not come.
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
  ].flatMap((option) => ['-o', option]);
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
}
