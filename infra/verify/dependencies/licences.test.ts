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
    'is taken: %s',
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
  ])('is refused in what is shipped: "%s"', (licence) => {
    expect(refused([dependency(licence)])).toHaveLength(1);
  });

  it('of a tool may be the MPL, and not the GPL', () => {
    expect(refused([dependency('MPL-2.0', true)])).toEqual([]);
    expect(refused([dependency('GPL-3.0-only', true)])).toHaveLength(1);
  });
});

it('every dependency has one that is allowed, and stands in the list', () => {
  const dependencies = readDependencies(root);
  expect(dependencies.length).toBeGreaterThan(100);
  expect(dependencies.some(({ name, isDev }) => name === 'hono' && !isDev)).toBe(true);
  expect(dependencies.some(({ name, isDev }) => name === 'vitest' && isDev)).toBe(true);
  expect(refused(dependencies)).toEqual([]);
  expect(readFileSync(join(root, listFile), 'utf8')).toBe(renderList(dependencies));
});
