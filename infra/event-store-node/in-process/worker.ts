import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { onFault, scavengeEveryMs } from '../reporting.ts';
import { startEventStoreNode, type NodeFault } from '../start.ts';
import type { NodeOptions } from './start-in-process.ts';

/** The thread of an event store node: serves other threads, and its port, until it is stopped. */
const node = await startEventStoreNode({
  ...(workerData as NodeOptions),
  scavengeEveryMs,
  onFault(fault: NodeFault) {
    onFault(fault);
    // What was answered before is sent first; the process ends with this thread.
    if (fault.kind === 'fatal')
      setImmediate(() => void node.stop().then(() => Promise.reject(fault.error)));
  },
});
parentPort?.on('message', (message: MessagePort | 'stop') => {
  if (message === 'stop') void node.stop().then(() => process.exit(0));
  else node.serve(message);
});
parentPort?.postMessage('ready');
