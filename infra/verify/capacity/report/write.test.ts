import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { replaceLastRun } from './write.ts';

const page = readFileSync(
  new URL('../../../../docs/measurements/capacity.md', import.meta.url),
  'utf8',
);

it('puts a run between the marks of the page, and nothing else', () => {
  const once = replaceLastRun(page, 'the first run\n');
  const twice = replaceLastRun(once, 'the second run\n');
  expect(twice).toContain('the second run');
  expect(twice).not.toContain('the first run');
  expect(twice.replace('the second run', 'the first run')).toBe(once);
  const [before] = page.split('<!--', 1);
  expect(twice.startsWith(before ?? '')).toBe(true);
});

it('refuses a page without marks', () => {
  expect(() => replaceLastRun('# A page', 'a run')).toThrow('no marks');
});

it('shows charts that are there', () => {
  const charts = [...page.matchAll(/\]\((\.\.\/images\/capacity\/[^)]+)\)/g)].map(
    ([, file]) => file,
  );
  expect(charts).not.toEqual([]);
  for (const file of charts)
    expect(
      readFileSync(new URL(`../../../../docs/measurements/${file}`, import.meta.url), 'utf8'),
    ).toContain('</svg>');
});
