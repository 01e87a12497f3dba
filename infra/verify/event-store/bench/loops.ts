import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { ECHO_PATH } from './echo-service.ts';

export type Rate = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };

const MESSAGE_BYTES = 640;

/** Calls `once` again and again from `width` loops for `durationMs`, and says how often and how fast it came back. */
export async function measure(
  width: number,
  durationMs: number,
  once: (lane: number) => Promise<unknown>,
): Promise<Rate> {
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + durationMs;
  const lane = async (index: number): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      await once(index);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: width }, (_, index) => lane(index)));
  return rateOf(latencies, performance.now() - begin);
}

function rateOf(latencies: number[], elapsedMs: number): Rate {
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { perSecond: (latencies.length * 1000) / elapsedMs, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** What the disk alone can do: write one message, make it durable, again. */
export function measureFsync(directory: string, durationMs: number): Rate {
  const path = join(directory, 'fsync.bin');
  const file = openSync(path, 'w');
  const message = Buffer.alloc(MESSAGE_BYTES, 1);
  const latencies: number[] = [];
  const begin = performance.now();
  while (performance.now() - begin < durationMs) {
    const start = performance.now();
    writeSync(file, message);
    fdatasyncSync(file);
    latencies.push(performance.now() - start);
  }
  const rate = rateOf(latencies, performance.now() - begin);
  closeSync(file);
  rmSync(path);
  return rate;
}

export type EchoClient = { readonly echo: () => Promise<unknown> };

/** A client of the echo server: one duplex call, answers in the order of the questions. */
export function createEchoClient(port: number): EchoClient {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const identity = (bytes: Buffer): Buffer => bytes;
  const call: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(
    ECHO_PATH,
    identity,
    identity,
  );
  const message = Buffer.alloc(MESSAGE_BYTES, 1);
  const waiting: (() => void)[] = [];
  call.on('data', () => waiting.shift()?.());
  call.on('error', () => undefined);
  return {
    echo: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        call.write(message);
      }),
  };
}
