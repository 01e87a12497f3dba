import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Rule = {
  chapter: number;
  number: number;
  name: string;
  tests: { file: string; title: string }[];
};

/** Each rule is an item of a list, and each of its tests an item below it. */
function rulesIn(text: string): Rule[] {
  return text
    .split(/^(?=- \*\*R)/m)
    .slice(1)
    .map((item) => {
      const [, name = '', chapter, number] = /^- \*\*(R(\d+)\.(\d+))\*\* /.exec(item) ?? [];
      const tests = [...item.matchAll(/^ {2}- `([^`]+\.test\.ts)`: `([^`]+)`$/gm)];
      return {
        chapter: Number(chapter),
        number: Number(number),
        name,
        tests: tests.map(([, file = '', title = '']) => ({ file, title })),
      };
    });
}

const rules = rulesIn(readFileSync('docs/rules.md', 'utf8'));
const isText = /\.(?:ts|js|mjs|md|sql|css|sh|ya?ml|py|go|php)$/;
const texts = filesBelow('.')
  .filter((path) => isText.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Where the pattern is met, as `path: what`. */
const met = (pattern: RegExp, wanted: (found: string) => boolean = () => true) =>
  texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .filter(([found]) => wanted(found))
      .map(([found]) => `${path}: ${found}`),
  );

describe('docs/rules.md', () => {
  it('has its numbers in order, each once', () => {
    expect(rules.length).toBeGreaterThan(200);
    const places = rules.map(({ chapter, number }) => chapter * 1_000 + number);
    expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
  });

  it('names a test for each', () => {
    expect(rules.filter(({ tests }) => tests.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it.each(rules)('$name: its tests are there', ({ tests }) => {
    const missing = tests.filter(({ file, title }) => {
      const source = texts.find(({ path }) => path === file)?.text ?? '';
      return !["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
    });
    expect(missing).toEqual([]);
  });
});

describe('code and documents', () => {
  it('point at rules that are there', () => {
    const known = new Set(rules.map(({ name }) => name));
    expect(met(/\bR\d+\.\d+\b/g, (name) => !known.has(name))).toEqual([]);
  });

  it('point at no section of a page that is elsewhere', () => {
    expect(met(/\u00a7|\b(?:contract|specification)[\s*/(]+\d/gi)).toEqual([]);
  });
});
