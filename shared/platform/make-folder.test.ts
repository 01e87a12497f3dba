import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'make-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('making a folder', () => {
  it('makes those above it too, for the owner alone, and minds none that is there', () => {
    const folder = join(root, 'a', 'b', 'c');
    makeFolder(folder);
    makeFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'a')).isDirectory()).toBe(true);
  });

  it.each([
    ['where nothing can be made', '/proc/nothing/here', 'ENOENT'],
    ['below a file', join(root, 'file', 'x'), 'ENOTDIR'],
  ])('fails at once %s', (_where, folder, code) => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolder(folder)).toThrow(code);
  });
});
