import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const passwordFile = (folder: string, name = 'password'): string => join(folder, name);

/** The password of an embedded store, created on first use and stored next to its data. */
export function readPassword(folder: string, name?: string): string {
  const file = passwordFile(folder, name);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A letter first: the grammar of NATS's configuration reads some words that start with a digit
    // as numbers.
    writeFileSync(`${file}.new`, `p${randomBytes(24).toString('hex')}`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8').trim();
}
