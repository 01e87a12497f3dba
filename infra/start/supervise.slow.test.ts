import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForFile, forFile } from '#infra/verify/harness/for-file.ts';
import { identify } from '../process/pids.ts';
import { waitUntil } from '../process/wait-until.ts';
import { startWatchdog } from '../process/watchdog.ts';
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
    await waitUntil('it is back', () => lines.includes('info: dies is back'), {
      timeoutMs: 20_000,
    });
    expect(lines).toContain('warn: dies ended with SIGKILL');
    expect(supervised.pid()).not.toBe(first);
    await supervised.stop(1000);
    expect(supervised.pid()).toBeUndefined();
    expect(identify(first)).toBeUndefined();
  });

  it('is killed and restarted if its health check fails', async () => {
    const { lines, output } = captureOutput();
    let hangs = false;
    const isLive = () => Promise.resolve(!hangs);
    // It ignores SIGTERM, as a hanging process does.
    const script = 'trap "" TERM; echo on; : >"$READY"; while :; do sleep 1; done';
    const supervised = new Supervisor(specOf('hangs', script, { isLive }), {
      watchdog,
      output,
      onChange: () => (hangs = false),
      timings: { probeEveryMs: 20, hangsAfterMs: 100 },
    });
    await supervised.ready;
    const first = supervised.pid();
    hangs = true;
    await waitUntil('it is back', () => lines.includes('info: hangs is back'), {
      timeoutMs: 20_000,
    });
    expect(lines).toContain('error: hangs has not answered for 0.1 s: killed');
    expect(supervised.pid()).not.toBe(first);
    await supervised.stop(100);
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
