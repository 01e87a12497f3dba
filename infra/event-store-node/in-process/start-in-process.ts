import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { StoreConnection } from '#shared/platform/event-store/connection.ts';
import { connectPort } from './port-connection.ts';

export type NodeOptions = {
  readonly directory: string;
  readonly port: number;
  readonly sameUserOnly: boolean;
};

export type InProcessNode = {
  readonly connect: () => StoreConnection;
  /** Rejects when the node ends without being stopped. */
  readonly failed: Promise<never>;
  /** Commits the waiting writes and releases the directory. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts an event store node in a thread of its own, so that waiting for the disk does not stop
 * this one. Rejects with what `startEventStoreNode` throws.
 */
export async function startInProcess(options: NodeOptions): Promise<InProcessNode> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options });
  await once(worker, 'message');
  const failed = Promise.withResolvers<never>();
  let stopping = false;
  const ended = (error: unknown): void => {
    if (!stopping) failed.reject(new Error('the event store node has ended', { cause: error }));
  };
  worker.on('error', ended);
  worker.on('exit', (code) => ended(`exit code ${code}`));
  return {
    connect: () => {
      const { port1: near, port2: far } = new MessageChannel();
      worker.postMessage(far, [far]);
      return connectPort(near);
    },
    failed: failed.promise,
    stop: async () => {
      stopping = true;
      const exited = once(worker, 'exit');
      worker.postMessage('stop');
      await exited;
    },
  };
}
