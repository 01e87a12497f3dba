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
  /** Rejects when the node has ended; it need not be handled. */
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
  // A caller that stops the node does not handle it.
  failed.promise.catch(() => undefined);
  let cause: unknown;
  worker.on('error', (error) => (cause = error));
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      resolve();
      failed.reject(new Error(`the event store node has ended with code ${code}`, { cause }));
    });
  });
  let hasExited = false;
  void exited.then(() => (hasExited = true));
  return {
    connect: () => {
      const { port1: near, port2: far } = new MessageChannel();
      const connection = connectPort(near);
      if (hasExited) near.close();
      else worker.postMessage(far, [far]);
      return connection;
    },
    failed: failed.promise,
    stop: async () => {
      worker.postMessage('stop');
      await exited;
    },
  };
}
