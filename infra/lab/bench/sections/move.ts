import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuMs, proportionalBytes } from '#infra/lab/load/sample/usage.ts';
import {
  startNodeProcess,
  type NodeProcess,
} from '#infra/verify/harness/stores/event-store-process.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import type { BenchContext } from '../context.ts';
import { writeOperations } from '../load/log-of-operations.ts';
import { createFigure, type Figure, type BenchSection } from '#infra/lab/report/section.ts';

const program = fileURLToPath(new URL('../../../move/main.ts', import.meta.url));
const sampleEveryMs = 250;
const megabyte = 1024 * 1024;

/** The cost of moving a log from one embedded store to another on this machine. */
export async function measureMove({ operations }: BenchContext): Promise<BenchSection[]> {
  const folders = [makeTempFolder(), makeTempFolder()] as const;
  const nodes: NodeProcess[] = [];
  try {
    const beganAt = performance.now();
    const { events, bytes } = await writeOperations(folders[0], operations);
    const writtenInMs = performance.now() - beganAt;
    for (const directory of folders) nodes.push(await startNodeProcess({ directory }));
    const [source, target] = nodes as [NodeProcess, NodeProcess];
    const { output, ms, used } = await move(source, target);
    const closedSeconds = Number(/closed for ([\d.]+) s/.exec(output)?.[1]);
    const perSecond = (tookMs: number) => (events * 1_000) / tookMs;
    const figures: Figure[] = [
      createFigure('events', '', events),
      createFigure('their data and metadata', 'MB', bytes / megabyte),
      createFigure('files of the target', 'MB', folderSize(folders[1]) / megabyte),
      createFigure('write the log into a folder', 'events/s', perSecond(writtenInMs)),
      createFigure('move it', 's', ms / 1_000),
      createFigure('move it', 'events/s', perSecond(ms)),
      createFigure('the log is closed', 's', closedSeconds),
      ...Object.entries(used).flatMap(([name, { cpu, memory }]) => [
        createFigure(`${name}: processor time an event`, 'µs', (cpu * 1_000) / events),
        createFigure(`${name}: most memory`, 'MB', memory / megabyte),
      ]),
    ];
    const about = `The log of ${operations} payments and payouts, copied, compared and finished. Memory: proportional set size.`;
    return [{ name: 'Move of a log', about, rows: [], figures }];
  } finally {
    for (const node of nodes) await node.stop('SIGTERM');
    for (const folder of folders) removeFolder(folder);
  }
}

const folderSize = (folder: string): number =>
  readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);

type ResourceUse = { cpu: number; memory: number };

/** Runs `npm run move -- --finish`, and measures the three processes until it ends. */
async function move(source: NodeProcess, target: NodeProcess) {
  const env = { ...process.env, EVENT_STORE_URL: source.url, DATA_DIR: '/nonexistent' };
  const args = ['--max-semi-space-size=16', program, '--to', target.url, '--finish'];
  const beganAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const pids = {
    'the command': child.pid ?? 0,
    'the source': source.pid,
    'the target': target.pid,
  };
  const before = new Map(Object.values(pids).map((pid) => [pid, cpuMs([pid])]));
  const used: Record<string, ResourceUse> = {};
  const sample = () => {
    for (const [name, pid] of Object.entries(pids)) {
      // The figures of a process that has ended are no longer available.
      const cpu = Math.max(cpuMs([pid]) - (before.get(pid) ?? 0), used[name]?.cpu ?? 0);
      used[name] = { cpu, memory: Math.max(proportionalBytes([pid]), used[name]?.memory ?? 0) };
    }
  };
  const sampling = setInterval(sample, sampleEveryMs);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearInterval(sampling);
  const ms = performance.now() - beganAt;
  sample();
  if (code !== 0) throw new Error(`the move ended with ${String(code)}: ${output}`);
  return { output, ms, used };
}
