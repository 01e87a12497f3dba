import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listFile, readDependencies, refused, renderList } from './licences.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const dependency = (licence: string, isDev = false) => ({
  name: 'a',
  version: '1.0.0',
  licence,
  isDev,
});

describe('a licence', () => {
  it.each(['MIT', 'Apache-2.0', '(MIT OR GPL-3.0-only)', '(BSD-3-Clause AND Apache-2.0)'])(
    'is accepted: %s',
    (licence) => {
      expect(refused([dependency(licence)])).toEqual([]);
    },
  );

  it.each([
    '',
    'UNLICENSED',
    'SEE LICENSE IN LICENSE',
    'GPL-3.0-only',
    'AGPL-3.0',
    '(MIT AND GPL-2.0)',
    'MIT AND (ISC OR GPL-2.0)',
    'MPL-2.0',
    'BUSL-1.1',
  ])('is rejected in shipped dependencies: "%s"', (licence) => {
    expect(refused([dependency(licence)])).toHaveLength(1);
  });

  it('may be the MPL, but not the GPL, for a tool', () => {
    expect(refused([dependency('MPL-2.0', true)])).toEqual([]);
    expect(refused([dependency('GPL-3.0-only', true)])).toHaveLength(1);
  });
});

it('accepts every dependency, and lists it', () => {
  const dependencies = readDependencies(root);
  expect(dependencies.length).toBeGreaterThan(100);
  expect(dependencies.some(({ name, isDev }) => name === 'hono' && !isDev)).toBe(true);
  expect(dependencies.some(({ name, isDev }) => name === 'vitest' && isDev)).toBe(true);
  expect(refused(dependencies)).toEqual([]);
  expect(readFileSync(join(root, listFile), 'utf8')).toBe(renderList(dependencies));
});
