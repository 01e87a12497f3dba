import { parentPort, workerData } from 'node:worker_threads';
import { onFault, scavengeEveryMs } from '../reporting.ts';
import { startEventStoreNode } from '../start.ts';
import type { WorkerData } from './start-in-process.ts';

/** The thread of an event store node: serves its port and one other thread until it is told to stop. */
const { options, port } = workerData as WorkerData;
const node = await startEventStoreNode({
  ...options,
  scavengeEveryMs,
  onFault(fault) {
    onFault(fault);
    // What was answered before is sent first; the process ends with this thread.
    if (fault.kind === 'fatal') setImmediate(() => void node.stop().then(() => process.exit(1)));
  },
});
node.serve(port);
parentPort?.once('message', () => void node.stop().then(() => process.exit(0)));
parentPort?.postMessage('ready');
