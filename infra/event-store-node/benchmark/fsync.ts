import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { toLoopMeasurement, type LoopMeasurement } from '#infra/lab/load/loops.ts';

/** About an event of the other loops. */
export const messageBytes = 640;

/** What the disk alone can do: write one message, make it durable, again. */
export function measureFsync(directory: string, durationMs: number): LoopMeasurement {
  const path = join(directory, 'fsync.bin');
  const file = openSync(path, 'w');
  const message = Buffer.alloc(messageBytes, 1);
  const latencies: number[] = [];
  const begin = performance.now();
  while (performance.now() - begin < durationMs) {
    const start = performance.now();
    writeSync(file, message);
    fdatasyncSync(file);
    latencies.push(performance.now() - start);
  }
  const load = toLoopMeasurement(latencies, performance.now() - begin);
  closeSync(file);
  rmSync(path);
  return load;
}
