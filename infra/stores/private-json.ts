import { renameSync, writeFileSync } from 'node:fs';

/** Atomically writes a file that only its owner may read. */
export function writePrivateJson(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
