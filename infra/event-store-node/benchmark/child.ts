import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readUsage } from '#infra/lab/load/sample/usage.ts';

type Child = {
  readonly port: number;
  /** Resident memory in bytes; 0 if the system does not provide it. */
  readonly residentBytes: () => number;
  /** Processor time used so far, in milliseconds; 0 if the system does not provide it. */
  readonly cpuMs: () => number;
  readonly stop: () => Promise<void>;
};

/** Starts a script in a child process and waits for the line of JSON with its port. */
export async function startChild(script: string, args: readonly string[]): Promise<Child> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [...nodeOptions(), path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  const usage = () => readUsage({ child: child.pid ?? 0 })['child'];
  return {
    port,
    residentBytes: () => usage()?.memoryBytes ?? 0,
    cpuMs: () => usage()?.cpuMs ?? 0,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** `BENCH_NODE_OPTIONS=--cpu-prof` profiles the server. */
function nodeOptions(): readonly string[] {
  return process.env['BENCH_NODE_OPTIONS']?.split(' ').filter((option) => option !== '') ?? [];
}
