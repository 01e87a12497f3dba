import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents. `mkdirSync` with `recursive` is not used because Node
 * 24 never returns from it below a folder in which nothing can be created, such as /proc.
 * @throws the system's error for the first folder that can't be created
 */
export function makeFolder(path: string, mode = 0o700): void {
  const folder = resolve(path);
  const missing: string[] = [];
  for (let next = folder; ; next = dirname(next)) {
    missing.push(next);
    const result = tryMake(next, mode);
    if (result === 'parent_missing' && dirname(next) !== next) continue;
    break;
  }
  // The last folder tried exists now; the others are created from the top down.
  for (const each of missing.toReversed().slice(1)) mkdirSync(each, { mode });
}

function tryMake(folder: string, mode: number): 'made' | 'parent_missing' {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'parent_missing';
    if (code !== 'EEXIST') throw error;
  }
  return 'made';
}
