import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify } from '../process/pids.ts';
import { waitUntil } from '../process/wait-until.ts';
import { startWatchdog, type Watchdog } from '../process/watchdog.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import type { Output } from './output.ts';
import type { StackProcess, PreparedProcess } from './processes.ts';
import { supervise } from './supervise.ts';

const folder = makeTempFolder();
let watchdog: Watchdog;
beforeAll(() => {
  watchdog = startWatchdog();
});
afterAll(async () => {
  await watchdog.close();
  removeFolder(folder);
});

function listen() {
  const said: string[] = [];
  const output: Output = {
    line: (name, line) => said.push(`${name}: ${line}`),
    log: (severity, text) => said.push(`${severity}: ${text}`),
    print: (text) => said.push(text),
  };
  return { said, output };
}

/** A process that is ready when its script says so by a file. */
function specOf(
  name: string,
  script: string,
  more: Pick<PreparedProcess, 'isLive'> = {},
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
        env: { READY: ready },
        stopSignal: 'SIGTERM',
      },
      isReady: () => Promise.resolve(existsSync(ready)),
      ...more,
    }),
  };
}

describe('a supervised process', () => {
  it('is started again when it dies', async () => {
    const { said, output } = listen();
    const supervised = supervise(specOf('dies', 'echo on; : >"$READY"; exec sleep 60'), {
      watchdog,
      output,
      onChange: () => undefined,
    });
    await supervised.ready;
    const first = supervised.pid() ?? 0;
    process.kill(first, 'SIGKILL');
    await waitUntil('it is back', () => said.includes('info: dies is back'), { timeoutMs: 20_000 });
    expect(said).toContain('warn: dies ended with SIGKILL');
    expect(supervised.pid()).not.toBe(first);
    await supervised.stop(1000);
    expect(supervised.pid()).toBeUndefined();
    expect(identify(first)).toBeUndefined();
  });

  it('is killed and started again when it answers no health check', async () => {
    const { said, output } = listen();
    let hangs = false;
    const isLive = () => Promise.resolve(!hangs);
    // It ignores what asks it to end, as a process that hangs does.
    const script = 'trap "" TERM; echo on; : >"$READY"; while :; do sleep 1; done';
    const supervised = supervise(specOf('hangs', script, { isLive }), {
      watchdog,
      output,
      onChange: () => (hangs = false),
      timings: { probeEveryMs: 20, hangsAfterMs: 100 },
    });
    await supervised.ready;
    const first = supervised.pid();
    hangs = true;
    await waitUntil('it is back', () => said.includes('info: hangs is back'), {
      timeoutMs: 20_000,
    });
    expect(said).toContain('error: hangs has not answered for 0.1 s: killed');
    expect(supervised.pid()).not.toBe(first);
    await supervised.stop(100);
  });

  it('is given up, with its reason, when it never gets ready', async () => {
    const { output } = listen();
    const count = join(folder, 'count');
    writeFileSync(count, '');
    const script = `echo x >>${count}; echo "Error: no such thing" >&2; echo bye >&2; exit 1`;
    const supervised = supervise(specOf('fails', script), {
      watchdog,
      output,
      onChange: () => undefined,
    });
    await expect(supervised.ready).rejects.toThrow("fails can't be started: Error: no such thing");
    await supervised.stop(100);
    expect(readFileSync(count, 'utf8')).toBe('x\nx\nx\n');
  });

  it('is given up at once when it can’t even be prepared', async () => {
    const { output } = listen();
    const broken: StackProcess = {
      ...specOf('broken', ''),
      prepare: () => Promise.reject(new Error('install it')),
    };
    const supervised = supervise(broken, { watchdog, output, onChange: () => undefined });
    await expect(supervised.ready).rejects.toThrow('install it');
    await supervised.stop(100);
  });
});
