import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from './make-directory.ts';

function scratch(): string {
  const path = mkdtempSync(join(tmpdir(), 'make-directory-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

it('makes what is missing, and leaves what is there', () => {
  const path = join(scratch(), 'a', 'b');
  makeDirectory(path);
  makeDirectory(path);
  expect(existsSync(path)).toBe(true);
});

it('gives up where nothing can be made', () => {
  const file = join(scratch(), 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(file)).toThrow('EEXIST');
  expect(() => makeDirectory(join(file, 'a'))).toThrow(/EEXIST|ENOTDIR/);
});

it.skipIf(!existsSync('/proc/self'))('gives up in a file system that is not for files', () => {
  expect(() => makeDirectory('/proc/event-store-node')).toThrow('ENOENT');
});
