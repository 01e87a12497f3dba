import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from '#infra/verify/harness/statistics.ts';

/** What the figures were measured on. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly node: string;
  readonly fileSystem: string;
  /** The time of a write of 4 KiB with its fsync in that folder, before any load. */
  readonly fsyncP50Ms: number;
  readonly fsyncWorstMs: number;
  /** The load average before the start, by other users of the machine. */
  readonly loadBefore: number;
};

const writes = 200;

/** Describes the machine, and tests the disk below a folder for a second. */
export function describeMachine(folder: string): Machine {
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
    loadBefore: loadavg()[0] ?? 0,
  };
}

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
