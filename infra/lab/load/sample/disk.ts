import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The folders of a stack that hold data. */
export const stores = ['event-store', 'postgres', 'nats', 'sandbox-provider', 'receipts'] as const;
export type MeasuredStore = (typeof stores)[number];

const withinMs = 20_000;

/** The bytes of each store on disk; a store without a folder has none. Uses `du`. */
export function readDiskBytes(dataDir: string): Promise<Partial<Record<MeasuredStore, number>>> {
  const folders = stores
    .map((store) => join(dataDir, store))
    .filter((folder) => existsSync(folder));
  return new Promise((resolve) => {
    execFile('du', ['-s', '-B1', ...folders], { timeout: withinMs }, (_error, stdout) => {
      // `du` reports files that vanish meanwhile as errors, which are ignored.
      const rows = [...stdout.matchAll(/^(\d+)\t(.+)$/gm)];
      resolve(
        Object.fromEntries(rows.map(([, bytes, folder = '']) => [basename(folder), Number(bytes)])),
      );
    });
  });
}
