import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { loadOf, type Load } from '#infra/lab/load/loops.ts';
import { ECHO_PATH } from './echo-service.ts';

const MESSAGE_BYTES = 640;

/** What the disk alone can do: write one message, make it durable, again. */
export function measureFsync(directory: string, durationMs: number): Load {
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
  const load = loadOf(latencies, performance.now() - begin);
  closeSync(file);
  rmSync(path);
  return load;
}

type EchoClient = { readonly echo: () => Promise<unknown> };

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
