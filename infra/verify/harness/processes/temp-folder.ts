import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '#infra/process/pids.ts';

const prefix = 'gateway-test-';

/**
 * Creates a temporary folder. Its name has this process's pid; folders of killed runs are removed
 * at the same time.
 */
export function makeTempFolder(): string {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && identify(Number(pid)) === undefined)
      removeFolder(join(tmpdir(), name));
  }
  return mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
}

/** Removes the folder; programs that are just ending may still write to it. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // Another user's, or being removed by another run: the next one tries again.
  }
}
