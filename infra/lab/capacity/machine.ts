import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from '#infra/verify/harness/figures/statistics.ts';

const writes = 200;

/** Describes what the figures are measured on, and tests the disk below a folder for a second. */
export function describeMachine(folder: string) {
  const fsyncMs = tryDisk(join(folder, 'fsync-probe'));
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: `Linux ${release()}`,
    node: process.version,
    fileSystem: execFileSync('stat', ['-f', '-c', '%T', folder], { encoding: 'utf8' }).trim(),
    fsyncP50Ms: median(fsyncMs),
    fsyncWorstMs: Math.max(...fsyncMs),
    /** The load average before the start, by other users of the machine. */
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** The times of writes of 4 KiB with their fsync. */
function tryDisk(file: string): number[] {
  const block = Buffer.alloc(4_096, 1);
  const descriptor = openSync(file, 'w');
  try {
    return Array.from({ length: writes }, () => {
      const beganMs = performance.now();
      writeSync(descriptor, block);
      fsyncSync(descriptor);
      return performance.now() - beganMs;
    });
  } finally {
    closeSync(descriptor);
    rmSync(file);
  }
}
