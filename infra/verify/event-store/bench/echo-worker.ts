import { once } from 'node:events';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createEchoClient, measure } from './loops.ts';
import type { Rate } from './loops.ts';

type Question = { readonly width: number; readonly durationMs: number };

export type EchoWorker = {
  readonly measure: (width: number, durationMs: number) => Promise<Rate>;
  readonly close: () => Promise<unknown>;
};

/** Drives an echo server from a thread of its own: the store's client must not share compiled code with it. */
export function startEchoWorker(port: number): EchoWorker {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port } });
  return {
    async measure(width, durationMs) {
      const question: Question = { width, durationMs };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(question);
      const [rate] = (await once(worker, 'message')) as [Rate];
      return rate;
    },
    close: () => worker.terminate(),
  };
}

if (!isMainThread && parentPort !== null) {
  const client = createEchoClient((workerData as { port: number }).port);
  const port = parentPort;
  port.on('message', ({ width, durationMs }: Question) => {
    void measure(width, durationMs, client.echo).then((rate) => port.postMessage(rate));
  });
}
