import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bugs } from './bugs.ts';

it.each(bugs)('$name: can be made, and its tests are there', ({ file, find, replace, tests }) => {
  expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  expect(tests.filter((path) => !existsSync(path))).toEqual([]);
});

it.each(bugs)('$name: its project has the files that are named', ({ project, tests }) => {
  const kinds = tests.flatMap((path) => {
    const [, kind] = /(?:\.([a-z0-9]+))?\.test\.ts$/.exec(path) ?? [];
    return path.endsWith('.test.ts') ? [kind ?? 'unit'] : [];
  });
  expect(kinds.filter((kind) => kind !== project)).toEqual([]);
});

it('names each bug once', () => {
  expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length);
  expect(bugs.length).toBeGreaterThanOrEqual(25);
});

it('is listed in docs/developers/bugs.md', () => {
  const page = readFileSync('docs/developers/bugs.md', 'utf8');
  const listed = [...page.matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, name = '']) =>
    name.replaceAll(/\s+/g, ' '),
  );
  expect(listed.toSorted()).toEqual(bugs.map(({ name }) => name).toSorted());
});
