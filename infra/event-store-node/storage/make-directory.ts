import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it. Not `mkdirSync`'s own `recursive`: that never returns, and eats all memory,
 * where the system says of a path in an existing directory that it doesn't exist, as /proc does.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  mkdirSync(path);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
