import { once } from 'node:events';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { closedLoop, type Load } from '#infra/lab/load/loops.ts';
import { createEchoClient } from './loops.ts';

type Question = { readonly width: number; readonly durationMs: number };

type EchoWorker = {
  readonly measure: (width: number, durationMs: number) => Promise<Load>;
  readonly close: () => Promise<unknown>;
};

/**
 * Drives an echo server from a thread of its own: the store's client must not share compiled code
 * with it.
 */
export function startEchoWorker(port: number): EchoWorker {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port } });
  return {
    async measure(width, durationMs) {
      const question: Question = { width, durationMs };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(question);
      const [load] = (await once(worker, 'message')) as [Load];
      return load;
    },
    close: () => worker.terminate(),
  };
}

if (!isMainThread && parentPort !== null) {
  const client = createEchoClient((workerData as { port: number }).port);
  const port = parentPort;
  port.on('message', ({ width, durationMs }: Question) => {
    void closedLoop({ clients: width, durationMs }, async () => void (await client.echo())).then(
      (load) => port.postMessage(load),
    );
  });
}
