import { join } from 'node:path';
import { findFreePort } from '#infra/process/free-port.ts';
import { startProcess } from '#infra/process/start-process.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import type { Watchdog } from '#infra/process/watchdog.ts';
import { answers } from '#infra/start/health.ts';
import { readFileSync } from 'node:fs';
import type { ImageTree } from './build-tree.ts';

export type Ran = Awaited<ReturnType<typeof tryService>>;

const readyWithinMs = 60_000;
const stopWithinMs = 25_000;

type Program = { name: string; args: readonly string[]; env: Readonly<Record<string, string>> };

/**
 * Starts a program of the image as its user and in its folder, without this machine's environment.
 */
export function startIn(
  { root, env, user, workdir, flags }: ImageTree,
  program: Program,
  { watchdog, tmp, onLine }: { watchdog: Watchdog; tmp: string; onLine?: (line: string) => void },
) {
  const paths = {
    DATA_DIR: join(root, env['DATA_DIR'] ?? '/data'),
    NODE_COMPILE_CACHE: join(tmp, 'compile-cache'),
    TMPDIR: tmp,
  };
  return startProcess(
    {
      name: program.name,
      command: join(root, 'usr/local/bin/node'),
      args: [...flags, ...program.args],
      cwd: join(root, workdir),
      env: { ...env, ...program.env, ...paths },
      // Only root can switch to another user.
      ...(process.getuid?.() === 0 && user),
      stopSignal: 'SIGTERM',
    },
    { watchdog, ...(onLine && { onLine }) },
  );
}

/**
 * Starts a service, waits until it is ready, runs the image's probe, and stops it.
 * @throws with its output
 */
export async function tryService(
  tree: ImageTree,
  {
    main,
    port,
    name,
    env,
  }: { main: string; port: string; name: string; env: Record<string, string> },
  places: { watchdog: Watchdog; tmp: string },
) {
  const lines: string[] = [];
  const number = String(await findFreePort());
  const given = { ...env, [port]: number, HEALTH_PORT: number };
  const startedAt = performance.now();
  const child = startIn(
    tree,
    { name, args: [main], env: given },
    { ...places, onLine: (line) => lines.push(line) },
  );
  try {
    const ended = new AbortController();
    void child.exited.then(({ code }) => ended.abort(new Error(`${name} ended with ${code}`)));
    await waitUntil(`${name} is ready`, () => answers(`http://127.0.0.1:${number}/readyz`), {
      timeoutMs: readyWithinMs,
      signal: ended.signal,
    });
    const readyMs = Math.round(performance.now() - startedAt);
    const probe = startIn(
      tree,
      { name: 'probe', args: ['infra/deploy/probe.ts'], env: given },
      places,
    );
    const { code } = await probe.exited;
    if (code !== 0) throw new Error(`the probe ended with ${code}`);
    const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
    const stoppedAt = performance.now();
    const exit = await child.stop(stopWithinMs);
    const stopMs = Math.round(performance.now() - stoppedAt);
    return { name, readyMs, rssMiB: Math.round(Number(rss) / 1024), stopMs, exitCode: exit.code };
  } catch (error) {
    await child.stop(stopWithinMs);
    throw new Error(`${(error as Error).message}\n${lines.slice(-20).join('\n')}`, {
      cause: error,
    });
  }
}
