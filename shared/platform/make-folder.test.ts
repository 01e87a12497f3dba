import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { makeFolder } from './make-folder.ts';

const root = folderForFile();

describe('makeFolder', () => {
  it('creates a folder for the owner only, with its parents, and accepts an existing one', () => {
    const folder = join(root, 'a', 'b', 'c');
    makeFolder(folder);
    makeFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'a')).isDirectory()).toBe(true);
  });

  it.each([
    ['in a folder that cannot be written', '/proc/nothing/here', 'ENOENT'],
    ['below a file', join(root, 'file', 'x'), 'ENOTDIR'],
  ])('throws at once %s', (_where, folder, code) => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolder(folder)).toThrow(code);
  });
});
