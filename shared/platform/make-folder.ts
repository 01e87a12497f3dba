import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are not there. Not `mkdirSync` with `recursive`: Node 24
 * never returns from it below a folder in which nothing can be made, such as /proc.
 * @throws the system's error for the first folder that can't be made
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
  // The last one tried is there now; the others are made from the top down, and say what they
  // can't.
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
