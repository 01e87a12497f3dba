import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForFile, forFile } from '#infra/verify/harness/tests/for-file.ts';
import { readActivity } from '../process/activity.ts';
import { identify } from '../process/pids.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startWatchdog } from '../process/watchdog.ts';
import { answers } from './health.ts';
import type { Output } from './output.ts';
import type { StackProcess, PreparedProcess } from './processes.ts';
import { Supervisor } from './supervise.ts';

const folder = folderForFile();
const watchdog = forFile(() => startWatchdog());

function captureOutput() {
  const lines: string[] = [];
  const output: Output = {
    line: (name, line) => lines.push(`${name}: ${line}`),
    log: (severity, text) => lines.push(`${severity}: ${text}`),
    print: (text) => lines.push(text),
  };
  return { lines, output };
}

/** A process that is ready once its script has created a file. */
function specOf(
  name: string,
  script: string,
  { env, ...more }: Pick<PreparedProcess, 'isLive' | 'hasEventLoop'> & { env?: object } = {},
): StackProcess {
  const ready = join(folder, `${name}.ready`);
  return {
    name,
    stage: 1,
    prepare: () => ({
      launch: {
        name,
        command: '/bin/sh',
        args: ['-c', script],
        env: { READY: ready, ...env },
        stopSignal: 'SIGTERM',
      },
      isReady: () => Promise.resolve(existsSync(ready)),
      ...more,
    }),
  };
}

describe('a supervised process', () => {
  it('is restarted when it dies', async () => {
    const { lines, output } = captureOutput();
    const supervised = new Supervisor(specOf('dies', 'echo on; : >"$READY"; exec sleep 60'), {
      watchdog,
      output,
      onChange: () => undefined,
    });
    await supervised.ready;
    const first = supervised.pid() ?? 0;
    process.kill(first, 'SIGKILL');
    await eventually('it is back', () => lines.includes('info: dies is back'));
    expect(lines).toContain('warn: dies ended with SIGKILL');
    expect(supervised.pid()).not.toBe(first);
    await supervised.stop(1000);
    expect(supervised.pid()).toBeUndefined();
    expect(identify(first)).toBeUndefined();
  });

  /** Answers on a port, and is busy in one turn of its event loop while a file exists. */
  const program = `
    const { existsSync, writeFileSync } = require('node:fs');
    const server = require('node:http').createServer((_, response) => response.end());
    server.listen(0, '127.0.0.1', () => writeFileSync(process.env.READY, String(server.address().port)));
    setInterval(() => { while (existsSync(process.env.READY + '.busy')); }, 5);
  `;

  const urlIn = (ready: string) => `http://127.0.0.1:${readFileSync(ready, 'utf8')}`;

  function superviseServer(name: string) {
    const { lines, output } = captureOutput();
    const ready = join(folder, `${name}.ready`);
    const spec = specOf(name, `exec ${process.execPath} -e "$PROGRAM"`, {
      env: { PROGRAM: program },
      isLive: async (signal) => existsSync(ready) && answers(urlIn(ready), signal),
      hasEventLoop: true,
    });
    const supervised = new Supervisor(spec, {
      watchdog,
      output,
      onChange: () => undefined,
      checkEveryMs: 50,
    });
    const pid = () => supervised.pid() ?? 0;
    return { lines, supervised, pid, ready, busy: `${ready}.busy` };
  }

  it('is not killed while it is busy and does not answer, however long (R19.10)', async () => {
    const { lines, supervised, pid, ready, busy } = superviseServer('busy');
    await supervised.ready;
    const first = pid();
    const ticks = () => readActivity(first)?.ticks ?? 0;
    const startTicks = ticks();
    writeFileSync(busy, '');
    // Dozens of checks without an answer, as a slow machine has in one turn.
    await eventually('it has worked', () => ticks() > startTicks * 10);
    rmSync(busy);
    await eventually('it answers', () => answers(urlIn(ready)));
    expect(pid()).toBe(first);
    expect(lines.filter((line) => line.includes('killed'))).toEqual([]);
    await supervised.stop(1000);
  });

  it.each([
    ['an endless loop', (_: number, busy: string) => writeFileSync(busy, ''), 'it has worked for'],
    [
      'a stopped process',
      (first: number) => process.kill(first, 'SIGSTOP'),
      'no thread of it runs',
    ],
  ])('is killed and restarted if it hangs: %s (R19.10)', async (_, hang, reason) => {
    const { lines, supervised, pid, ready, busy } = superviseServer(reason.replaceAll(' ', '-'));
    await supervised.ready;
    const first = pid();
    // Its successor has to create it.
    rmSync(ready);
    hang(first, busy);
    const killed = () => lines.find((line) => line.endsWith(': killed'));
    await eventually('it is killed', () => killed() !== undefined);
    rmSync(busy, { force: true });
    expect(killed()).toContain(reason);
    await eventually('it is back', () => lines.some((line) => line.endsWith(' is back')));
    expect(pid()).not.toBe(first);
    await supervised.stop(1000);
  });

  it('is given up with its reason after three failed starts', async () => {
    const { output } = captureOutput();
    const count = join(folder, 'count');
    writeFileSync(count, '');
    const script = `echo x >>${count}; echo "Error: no such thing" >&2; echo bye >&2; exit 1`;
    const supervised = new Supervisor(specOf('fails', script), {
      watchdog,
      output,
      onChange: () => undefined,
    });
    await expect(supervised.ready).rejects.toThrow("fails can't be started: Error: no such thing");
    await supervised.stop(100);
    expect(readFileSync(count, 'utf8')).toBe('x\nx\nx\n');
  });

  it('is given up immediately if it cannot be prepared', async () => {
    const { output } = captureOutput();
    const broken: StackProcess = {
      ...specOf('broken', ''),
      prepare: () => Promise.reject(new Error('install it')),
    };
    const supervised = new Supervisor(broken, { watchdog, output, onChange: () => undefined });
    await expect(supervised.ready).rejects.toThrow('install it');
    await supervised.stop(100);
  });
});
