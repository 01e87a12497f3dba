import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type Child = {
  readonly port: number;
  /** Resident memory in bytes; 0 where the system doesn't tell. */
  readonly residentBytes: () => number;
  /** Processor time used so far, in milliseconds; 0 where the system doesn't tell. */
  readonly cpuMs: () => number;
  readonly stop: () => Promise<void>;
};

const CLOCK_TICKS_PER_SECOND = 100;

/** Starts a script beside this one and waits for the line of JSON with its port. */
export async function startChild(script: string, args: readonly string[]): Promise<Child> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [...nodeOptions(), path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  return {
    port,
    residentBytes: () => Number(/VmRSS:\s+(\d+)/.exec(proc(child.pid, 'status'))?.[1] ?? 0) * 1024,
    cpuMs() {
      const fields = proc(child.pid, 'stat').split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1000) / CLOCK_TICKS_PER_SECOND;
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function proc(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** `BENCH_NODE_OPTIONS=--cpu-prof` profiles the server. */
function nodeOptions(): readonly string[] {
  return process.env['BENCH_NODE_OPTIONS']?.split(' ').filter((option) => option !== '') ?? [];
}
