import { join } from 'node:path';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { proportionalBytes } from '#infra/lab/load/sample/usage.ts';
import type { LoopMeasurement } from '#infra/lab/load/loops.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';
import type { BenchSection } from '#infra/lab/report/section.ts';
import { renderSection } from '#infra/lab/report/table.ts';
import { startNodeProcess } from '#infra/verify/harness/stores/event-store-process.ts';
import { startHelper } from '#infra/verify/harness/processes/helper-process.ts';
import { spread } from '#infra/verify/harness/figures/statistics.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import type { EchoClientOrder } from './echo-client.ts';
import type { EchoServerOrder } from './echo-server.ts';
import { measureFsync } from './fsync.ts';
import { createStoreClient } from './store-loops.ts';

// One official client against the node, compared with what the disk and the client library can do
// at best, in the same run: in turn, a round each, so that a busy machine slows all of them alike.
const usage = `usage: npm run lab -- event-store [--url esdb://…] [--rounds N] [--seconds N] [--json]

Measures the event store node, compared with a bare fsync loop and a bare echo (infra/event-store-node/README.md).

  --url <address>     an event store to measure instead of a new node
  --rounds <number>   default 5
  --seconds <number>  of each loop of a round; default 2
  --json              print JSON
`;
const { values } = readCommandLine(usage, {
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    url: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1000;
if (!(rounds >= 1 && durationMs > 0))
  refuseCommandLine(usage, '--rounds and --seconds take numbers above 0');
const readEvents = 20_000;

const directory = makeTempFolder();
/** Started only where it is what is measured. */
const node =
  values.url === undefined
    ? await startNodeProcess({ directory: join(directory, 'log') })
    : undefined;
const store = createStoreClient(values.url ?? node?.url ?? '');
/** Nothing is known of the processes of a store elsewhere. */
const pids = node ? [node.pid] : [];

async function startEcho(layer: EchoServerOrder['layer']) {
  const server = startHelper<EchoServerOrder>('infra/event-store-node/benchmark/echo-server.ts');
  const client = startHelper<EchoClientOrder>('infra/event-store-node/benchmark/echo-client.ts');
  const { port } = await server.request<{ port: number }>({ order: 'listen', layer });
  await client.request({ order: 'connect', port });
  return {
    inFlight: (width: number): Case => ({
      name: `echo, ${width} in flight (${layer} server)`,
      run: () =>
        withCpu([server.pid], () =>
          client.request<LoopMeasurement>({ order: 'measure', width, durationMs: durationMs / 2 }),
        ),
    }),
    stop: () => Promise.all([client.stop(), server.stop()]),
  };
}

const [library, own] = await Promise.all([startEcho('grpc-js'), startEcho('own')]);
const ofStore = (name: string, work: () => Promise<LoopMeasurement>): Case => ({
  name,
  run: () => withCpu(pids, work),
});
const appenders = (width: number) =>
  ofStore(`append, ${width} ${width === 1 ? 'appender' : 'appenders'}`, () =>
    store.append(width, durationMs),
  );
await store.seed(readEvents);
const rows = await inRounds(
  [
    ofStore('write and fsync', async () => measureFsync(directory, durationMs / 2)),
    appenders(1),
    library.inFlight(1),
    own.inFlight(1),
    appenders(64),
    library.inFlight(64),
    own.inFlight(64),
    ofStore('read $all', () => store.readAll(readEvents)),
    ofStore('catch-up subscription to $all', () => store.catchUp(readEvents)),
  ],
  { rounds, warmUpRounds: 1 },
);
const megabytes = proportionalBytes(pids) / 1024 / 1024;
const section: BenchSection = {
  name: 'Event store',
  about: 'One official client; events of 500 bytes, of which each appender writes one at a time.',
  rows,
  figures: node ? [{ name: 'memory of the node', unit: 'MB', value: spread([megabytes]) }] : [],
};
await Promise.all([library.stop(), own.stop(), store.close()]);
await node?.stop('SIGTERM');
removeFolder(directory);
process.stdout.write(values.json ? `${JSON.stringify(section)}\n` : renderSection(section));
