import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { startNodeProcess, type NodeProcess } from '#infra/verify/harness/event-store-process.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import {
  connectEventStore,
  NO_STREAM,
  type EventStore,
} from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';

/** `npm run bench:move`: what the move of a log takes, in time and memory. */
const usage = `usage: npm run bench:move -- [events]

Fills an event store, 200000 events unless given, and moves its log to another one on this machine.
`;
const [count = '200000'] = readCommandLine(usage, { allowPositionals: true }).positionals;
const events = Number(count);
if (!Number.isSafeInteger(events) || events < 1)
  refuseCommandLine(usage, 'The number of events is whole');

const say = (text: string) => void process.stdout.write(`${text}\n`);
const appenders = 64;
/** As operations have them: five appends to a stream, one of two events, about 470 bytes each. */
const sizes = [1, 1, 2, 1, 1];
const text = 'x'.repeat(250);

async function fill(store: EventStore): Promise<void> {
  let left = events;
  const work = async () => {
    while (left > 0) {
      const stream = `operation-${newId()}`;
      let revision = NO_STREAM;
      for (const size of sizes) {
        left -= size;
        const appended = await store.append({
          stream,
          expectedRevision: revision,
          events: Array.from({ length: size }, () => ({
            id: newId(),
            type: 'Measured',
            data: { text },
            metadata: { correlation_id: newId(), actor: 'service:bench', schema_version: 1 },
          })),
        });
        if (appended.outcome !== 'appended') throw new Error(`an append is ${appended.outcome}`);
        ({ revision } = appended);
      }
    }
  };
  await Promise.all(Array.from({ length: appenders }, work));
}

/** The most memory that a process has had, in MB, and its processor time in s; on Linux. */
function usedBy(pid: number): { memory: number; cpu: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  const ticks = Number(fields[13]) + Number(fields[14]);
  return { memory: Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1_024, cpu: ticks / 100 };
}

async function move(nodes: readonly [NodeProcess, NodeProcess]): Promise<void> {
  const [source, target] = nodes;
  const main = fileURLToPath(new URL('../../move/main.ts', import.meta.url));
  const env = { ...process.env, EVENT_STORE_URL: source.url, DATA_DIR: '/nonexistent' };
  const args = ['--max-semi-space-size=16', main, '--to', target.url, '--finish'];
  const beganAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: 'inherit' });
  let used = { memory: 0, cpu: 0 };
  const watch = setInterval(() => {
    if (child.exitCode === null) used = usedBy(child.pid ?? 0);
  }, 100);
  const before = nodes.map(({ pid }) => usedBy(pid).cpu);
  const code = await new Promise((resolve) => child.on('exit', resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`it ended with ${String(code)}`);
  const seconds = (performance.now() - beganAt) / 1_000;
  const rate = Math.round(events / seconds);
  say(`${events} events in ${seconds.toFixed(1)} s, ${rate} a second`);
  const cpu = [used.cpu, ...nodes.map(({ pid }, at) => usedBy(pid).cpu - (before[at] ?? 0))];
  const each = cpu.map((spent) => `${Math.round((spent / events) * 1e6)} µs`);
  say(`Processor time an event: the move ${each[0]}, the source ${each[1]}, the target ${each[2]}`);
  say(`Memory: ${Math.round(used.memory)} MB`);
}

const folders = [makeTempFolder(), makeTempFolder()];
const nodes: NodeProcess[] = [];
try {
  for (const directory of folders) nodes.push(await startNodeProcess({ directory }));
  const [source, target] = nodes as [NodeProcess, NodeProcess];
  const store = connectEventStore(source.url);
  await fill(store);
  await store.close();
  await move([source, target]);
} finally {
  for (const node of nodes) await node.stop('SIGTERM');
  for (const folder of folders) removeFolder(folder);
}
