import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { identify } from './pids.ts';
import { startProcess } from './start-process.ts';
import { waitUntil } from './wait-until.ts';
import { startWatchdog } from './watchdog.ts';

const module = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

// A supervisor with two children, one of which ignores SIGTERM; it prints their pids.
const supervisor = `
import { startWatchdog } from ${module('./watchdog.ts')};
import { startProcess } from ${module('./start-process.ts')};
const watchdog = startWatchdog({ graceMs: 300 });
const first = watchdog.pid();
const start = (script) => startProcess(
  { name: 'child', command: '/bin/sh', args: ['-c', script], stopSignal: 'SIGTERM', env: process.env }, { watchdog });
const children = [start('sleep 60'), start('trap "" TERM; while :; do sleep 1; done')];
console.log(JSON.stringify([watchdog.pid(), ...children.map(({ pid }) => pid)]));
setInterval(() => watchdog.pid() !== first && console.log('replaced'), 20);
`;

async function startSupervisor() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', supervisor], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ADMIN_TOKEN: 'a secret' },
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    kill: () => child.kill('SIGKILL'),
    nextLine: () => once(child.stdout, 'data'),
    pids: JSON.parse(line.toString()) as number[],
  };
}

const gone = (pids: number[]) => () => pids.every((pid) => identify(pid) === undefined);

describe('the watchdog', () => {
  it('kills every child of a killed supervisor, even one that ignores SIGTERM', async () => {
    const { kill, pids } = await startSupervisor();
    expect(pids.every((pid) => identify(pid) !== undefined)).toBe(true);
    kill();
    await waitUntil('everything is gone', gone(pids), { timeoutMs: 20_000 });
  });

  it('receives the PATH, but no secret, in its environment', async () => {
    const { kill, pids } = await startSupervisor();
    const environment = readFileSync(`/proc/${pids[0]}/environ`, 'utf8');
    kill();
    const names = environment.split('\0').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH']));
    expect(names).not.toContain('ADMIN_TOKEN');
    await waitUntil('everything is gone', gone(pids), { timeoutMs: 20_000 });
  });

  it('is replaced when it is killed', async () => {
    const { kill, nextLine, pids } = await startSupervisor();
    const [watchdog = 0, ...children] = pids;
    process.kill(watchdog, 'SIGKILL');
    await nextLine();
    expect(gone(children)()).toBe(false);
    kill();
    await waitUntil('everything is gone', gone(children), { timeoutMs: 20_000 });
  });
});

describe('a started process', () => {
  it('has the pid, the exit code and the output of its program', async () => {
    const watchdog = startWatchdog();
    const lines: string[] = [];
    const args = ['-c', 'echo $$; echo $GREETING >&2; exit 3'];
    const child = startProcess(
      { name: 'x', command: '/bin/sh', args, env: { GREETING: 'hello' }, stopSignal: 'SIGTERM' },
      { watchdog, onLine: (line) => lines.push(line) },
    );
    expect(await child.exited).toEqual({ code: 3, signal: null });
    await waitUntil('its lines are read', () => lines.length === 2, { timeoutMs: 20_000 });
    expect(lines.toSorted()).toEqual([String(child.pid), 'hello'].toSorted());
    await watchdog.close();
  });

  it('is killed if it has not exited by the deadline', async () => {
    const watchdog = startWatchdog();
    const { promise: ignoring, resolve: ignores } = Promise.withResolvers<string>();
    const child = startProcess(
      {
        name: 'x',
        command: '/bin/sh',
        args: ['-c', 'trap "" TERM; echo on; while :; do sleep 1; done'],
        stopSignal: 'SIGTERM',
      },
      { watchdog, onLine: ignores },
    );
    await ignoring;
    expect(await child.stop(200)).toMatchObject({ signal: 'SIGKILL' });
    await watchdog.close();
  });
});
