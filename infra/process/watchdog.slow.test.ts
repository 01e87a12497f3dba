import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findFreePort, isPortFree } from './free-port.ts';
import { identify } from './pids.ts';
import { startProcess } from './start-process.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startWatchdog } from './watchdog.ts';

const module = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** The kernel takes some 50 ms to free this process's memory, and frees its port after that. */
const server = (port: number) =>
  `process.on('SIGTERM', () => {}); global.memory = Buffer.alloc(5e8, 1); require('net').createServer().listen(${port}, '127.0.0.1', () => console.log('listening'))`;

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

/** Its child ignores SIGTERM; it prints the pid of its watchdog when the child listens. */
const supervisorOf = (port: number) => `
import { startWatchdog } from ${module('./watchdog.ts')};
import { startProcess } from ${module('./start-process.ts')};
const watchdog = startWatchdog({ graceMs: 100 });
startProcess(
  { name: 'server', command: process.execPath, args: ['-e', ${JSON.stringify(server(port))}], stopSignal: 'SIGTERM', env: {} },
  { watchdog, onLine: () => console.log(watchdog.pid()) });
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

const allExited = (pids: number[]) => () => pids.every((pid) => identify(pid) === undefined);

describe('the watchdog', () => {
  it('kills every child of a killed supervisor, even one that ignores SIGTERM', async () => {
    const { kill, pids } = await startSupervisor();
    expect(pids.every((pid) => identify(pid) !== undefined)).toBe(true);
    kill();
    await eventually('everything is gone', allExited(pids));
  });

  it('ends when the ports of a killed child are free again', async () => {
    const port = await findFreePort();
    const child = spawn(process.execPath, ['--input-type=module', '-e', supervisorOf(port)]);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await eventually('the watchdog is gone', allExited([Number(line)]));
    expect(await isPortFree(port)).toBe(true);
  });

  it('receives the PATH, but no secret, in its environment', async () => {
    const { kill, pids } = await startSupervisor();
    const environment = readFileSync(`/proc/${pids[0]}/environ`, 'utf8');
    kill();
    const names = environment.split('\0').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH']));
    expect(names).not.toContain('ADMIN_TOKEN');
    await eventually('everything is gone', allExited(pids));
  });

  it('is replaced when it is killed', async () => {
    const { kill, nextLine, pids } = await startSupervisor();
    const [watchdog = 0, ...children] = pids;
    process.kill(watchdog, 'SIGKILL');
    await nextLine();
    expect(allExited(children)()).toBe(false);
    kill();
    await eventually('everything is gone', allExited(children));
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
    await eventually('its lines are read', () => lines.length === 2);
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
