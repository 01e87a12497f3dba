import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivateJson(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
