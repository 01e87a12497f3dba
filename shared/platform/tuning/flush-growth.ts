import { readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The disk did not take what PostgreSQL wrote. Whoever asked is told, and nobody after that:
 * PostgreSQL has to recover.
 */
export class FlushFailed extends Error {
  override readonly name = 'FlushFailed';
}

type FlushGrowthOptions = {
  /** PostgreSQL's data directory. */
  readonly data: string;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
  /** Milliseconds between two looks for files that have become large. */
  readonly findEveryMs?: number;
  readonly flush?: (file: string) => Promise<void>;
};

/** Smaller files are not worth a check each second. */
const largeBytes = 1024 * 1024;

/**
 * Has the disk take each second what tables and indexes grew by, until the signal. PostgreSQL
 * leaves the pages that it adds to a file to the kernel, which keeps them for 30 s and then writes
 * all of them at once: at 1,200 creates a second 65 MB, and the event store's commits wait behind
 * that for 50 ms. A commit's own durability is PostgreSQL's business, before this and after.
 * @throws FlushFailed
 */
export async function flushGrowth(options: FlushGrowthOptions): Promise<void> {
  const { data, signal, everyMs = 1_000, findEveryMs = 30_000, flush = datasync } = options;
  const sizes = new Map<string, number>();
  let foundAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    if (performance.now() - foundAt >= findEveryMs) {
      for (const file of largeFiles(data)) if (!sizes.has(file)) sizes.set(file, 0);
      foundAt = performance.now();
    }
    for (const [file, known] of sizes) {
      if (signal.aborted) return;
      const size = sizeOf(file);
      if (size === undefined) sizes.delete(file);
      else sizes.set(file, size);
      if (size !== undefined && size > known) await flush(file);
    }
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Tables and indexes of every database: `base/<database>/<file>`. */
function largeFiles(data: string): string[] {
  const base = join(data, 'base');
  return list(base)
    .flatMap((database) => list(join(base, database)).map((file) => join(base, database, file)))
    .filter((file) => (sizeOf(file) ?? 0) >= largeBytes);
}

/**
 * What PostgreSQL has removed meanwhile, or what can't be read, is nothing to flush: no reason to
 * end it.
 */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function sizeOf(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size;
  } catch {
    return undefined;
  }
}

async function datasync(file: string): Promise<void> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return;
  try {
    await handle.datasync();
  } catch (error) {
    throw new FlushFailed(`the disk did not take ${file}: ${String(error)}`, { cause: error });
  } finally {
    await handle.close();
  }
}
