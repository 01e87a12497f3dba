import { existsSync, globSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  anchorsOf,
  linksOf,
  picturesShown,
  programsNamed,
  readDocuments,
  withoutCode,
} from './documents.ts';

const documents = readDocuments();
const links = documents.flatMap(linksOf);
const lines = (text: string) => text.split('\n');

describe('links', () => {
  it('lead to files that are there', () => {
    const dead = links.filter(({ target }) => !existsSync(target));
    expect(dead.map(({ from, target }) => `${from}: ${target}`)).toEqual([]);
  });

  it('lead to headings that are there', () => {
    const anchors = new Map(documents.map((document) => [document.path, anchorsOf(document)]));
    const dead = links.filter(
      ({ target, anchor }) => anchor !== undefined && anchors.get(target)?.has(anchor) === false,
    );
    expect(dead.map(({ from, target, anchor }) => `${from}: ${target}#${anchor}`)).toEqual([]);
  });
});

it('programs in code marks are there', () => {
  const programs = globSync('**/*.ts', {
    exclude: (name) => name === 'node_modules' || name.startsWith('.'),
  });
  const isThere = (named: string) =>
    programs.some((path) => `/${path.replaceAll('\\', '/')}`.endsWith(`/${named}`));
  const named = documents.flatMap((document) =>
    programsNamed(document).map((program) => ({ program, from: document.path })),
  );
  expect(named.length).toBeGreaterThan(20);
  const dead = named.filter(({ program }) => !isThere(program));
  expect(dead.map(({ from, program }) => `${from}: ${program}`)).toEqual([]);
});

describe('indexes', () => {
  it.each(documents.filter(({ path }) => path.startsWith('docs/')))(
    '$path is in its folder’s',
    ({ path }) => {
      const name = posix.basename(path);
      const folder = posix.dirname(path);
      const index =
        name === 'README.md' ? posix.join(folder, '..', 'README.md') : `${folder}/README.md`;
      expect(links.filter(({ from, target }) => from === index && target === path)).not.toEqual([]);
    },
  );

  it('have every folder of documents', () => {
    const folders = globSync('docs/*/').map((path) => posix.basename(path.replaceAll('\\', '/')));
    const without = folders.filter(
      (name) => name !== 'images' && !existsSync(`docs/${name}/README.md`),
    );
    expect(without).toEqual([]);
  });
});

it('README.md is short', () => {
  const readme = documents.find(({ path }) => path === 'README.md');
  expect(lines(readme?.text ?? '').length).toBeGreaterThan(20);
  expect(lines(readme?.text ?? '').length).toBeLessThan(120);
});

describe('tables', () => {
  // Of what a run has measured.
  const made = ['docs/measurements/capacity.md', 'docs/measurements/journeys.md'];
  // Pages of the merchants' documentation, which are read in a browser.
  const shown = 'services/merchant-api/documentation/reference/pages/';
  const byHand = documents.filter(({ path }) => !made.includes(path) && !path.startsWith(shown));

  it.each(byHand)('$path: are narrow; long texts are lists', ({ text }) => {
    const rows = lines(withoutCode(text)).filter((line) => line.startsWith('|'));
    const longest = (row: string) =>
      Math.max(...row.split(/(?<!\\)\|/).map((cell) => cell.trim().length));
    expect(rows.filter((row) => row.length > 120 || longest(row) > 60)).toEqual([]);
  });
});

describe('decisions', () => {
  const decisions = documents.filter(({ path }) => /^docs\/decisions\/(?!README)/.test(path));

  it.each(decisions)('$path says when it was made', ({ text }) => {
    expect(lines(text)[2]).toMatch(/^_Decided on \d{4}-\d{2}-\d{2}\._$/);
  });
});

describe('pictures', () => {
  it('are all shown somewhere', () => {
    const kept = globSync('docs/images/**/*.{png,svg}').map((path) => path.replaceAll('\\', '/'));
    expect(kept.length).toBeGreaterThan(0);
    const shown = picturesShown();
    expect(kept.filter((path) => !shown.has(path.slice('docs/images/'.length)))).toEqual([]);
  });
});
