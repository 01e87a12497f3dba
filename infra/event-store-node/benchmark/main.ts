import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { startChild } from './child.ts';
import { startEchoWorker } from './echo-worker.ts';
import type { Load } from '#infra/lab/load/loops.ts';
import { measureFsync } from './loops.ts';
import { linesOf, reportOf } from './report.ts';
import { createStoreClient } from './store-loops.ts';

// One official client against the node, compared with what the disk and the client library can do
// at best, in the same run: in turn, a round each, so that a busy machine slows all of them alike.
// The medians of the rounds are printed.
const usage = `usage: npm run lab -- event-store [--url esdb://…] [--rounds N] [--seconds N] [--dir <folder>] [--json]

Measures the event store node, beside a bare fsync loop and a bare echo (infra/event-store-node/README.md).

  --url <address>     another event store than a node of its own
  --rounds <number>   5 unless given
  --seconds <number>  of each loop of a round; 2 unless given
  --dir <folder>      where the log is kept meanwhile
  --json              the figures as JSON
`;
const { values } = readCommandLine(usage, {
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    dir: { type: 'string' },
    url: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1000;
if (!(rounds >= 1 && durationMs > 0))
  refuseCommandLine(usage, '--rounds and --seconds take numbers above 0');
const READ_EVENTS = 20_000;
const WARM_UP_MS = 1000;

const directory = mkdtempSync(join(values.dir ?? tmpdir(), 'event-store-bench-'));
/** Started only where it is what is measured. */
const node =
  values.url === undefined
    ? await startChild('../main.ts', ['--port', '0', '--dir', join(directory, 'log')])
    : undefined;
const [libraryEcho, ownEcho] = await Promise.all([
  startChild('./echo-server.ts', ['grpc-js']),
  startChild('./echo-server.ts', ['own']),
]);
const store = createStoreClient(values.url ?? `esdb://127.0.0.1:${node?.port}?tls=false`);
const libraryClient = startEchoWorker(libraryEcho.port);
const ownClient = startEchoWorker(ownEcho.port);

const results = new Map<string, Load[]>();
const counts = new Map<string, number[]>();
const cpuMs: number[] = [];

function note<T>(into: Map<string, T[]>, name: string, value: T): void {
  into.set(name, [...(into.get(name) ?? []), value]);
}

async function round(ms: number, record: boolean): Promise<void> {
  const loops: readonly (readonly [string, () => Promise<Load> | Load])[] = [
    ['fsync', () => measureFsync(directory, ms / 2)],
    ['append, 1 appender', () => store.append(1, ms)],
    ['echo, 1 in flight (grpc-js server)', () => libraryClient.measure(1, ms / 2)],
    ['echo, 1 in flight (own server)', () => ownClient.measure(1, ms / 2)],
    ['append, 64 appenders', () => store.append(64, ms)],
    ['echo, 64 in flight (grpc-js server)', () => libraryClient.measure(64, ms / 2)],
    ['echo, 64 in flight (own server)', () => ownClient.measure(64, ms / 2)],
  ];
  for (const [name, run] of loops) {
    const cpuBefore = node?.cpuMs() ?? 0;
    const load = await run();
    if (record) note(results, name, load);
    if (node && record && name === 'append, 64 appenders') {
      cpuMs.push((node.cpuMs() - cpuBefore) / load.operations);
    }
  }
  const readRate = await store.readAll(READ_EVENTS);
  const catchUpRate = await store.catchUp(READ_EVENTS);
  if (!record) return;
  note(counts, 'read $all', readRate);
  note(counts, 'catch-up subscription to $all', catchUpRate);
}

await store.seed(READ_EVENTS);
await round(WARM_UP_MS, false);
for (let index = 0; index < rounds; index += 1) await round(durationMs, true);

const report = reportOf({
  rounds,
  loops: results,
  counts,
  node: node && { cpuMsPerEvent: cpuMs, residentBytes: node.residentBytes() },
});

await Promise.all([libraryClient.close(), ownClient.close(), store.close()]);
await Promise.all([node?.stop(), libraryEcho.stop(), ownEcho.stop()]);
rmSync(directory, { recursive: true });

process.stdout.write(`${values.json ? JSON.stringify(report) : linesOf(report).join('\n')}\n`);
