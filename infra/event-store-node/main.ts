import { resolve } from 'node:path';
import { USAGE, parseArguments } from './cli-arguments.ts';
import { startEventStoreNode } from './start.ts';
import type { EventStoreNode } from './start.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import { onFault, print, scavengeEveryMs } from './reporting.ts';

function stopOnSignals(node: EventStoreNode): void {
  const stop = (signal: NodeJS.Signals): void => {
    print(process.stdout, 'event store node stopping', { signal });
    void node.stop().then(() => print(process.stdout, 'event store node stopped'));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

async function run(options: ReturnType<typeof parseArguments>): Promise<void> {
  if (options === undefined) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  try {
    const directory = resolve(options.directory);
    const node = await startEventStoreNode({ ...options, directory, onFault, scavengeEveryMs });
    stopOnSignals(node);
    const { host, port, url } = node;
    const note = 'for one machine: no replicas, no authentication; not for production';
    print(process.stdout, 'event store node ready', {
      host,
      port,
      url,
      directory,
      pid: process.pid,
      note,
    });
  } catch (error) {
    print(process.stderr, `event store node: ${errorMessage(error)}`);
    process.exitCode = 1;
  }
}
if (import.meta.main) await run(parseArguments(process.argv.slice(2)));
