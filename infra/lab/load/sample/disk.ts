import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The folders of a stack that hold data. */
export const stores = ['event-store', 'postgres', 'nats', 'sandbox-provider', 'receipts'] as const;
export type Store = (typeof stores)[number];

const withinMs = 20_000;

/**
 * Bytes that each store has on the disk; a store that has no folder yet has none. Walking is left
 * to `du`.
 */
export function readDiskBytes(dataDir: string): Promise<Partial<Record<Store, number>>> {
  const folders = stores
    .map((store) => join(dataDir, store))
    .filter((folder) => existsSync(folder));
  return new Promise((resolve) => {
    execFile('du', ['-s', '-B1', ...folders], { timeout: withinMs }, (_error, stdout) => {
      // Files that go away while it walks are an error to it, and none to us.
      const rows = [...stdout.matchAll(/^(\d+)\t(.+)$/gm)];
      resolve(
        Object.fromEntries(rows.map(([, bytes, folder = '']) => [basename(folder), Number(bytes)])),
      );
    });
  });
}
