import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const named = [...read('../docs/specification-tests.md').matchAll(/`([a-z-]+)`: `([^`]+)`/g)].map(
  ([whole, file = '', title = '']) => ({ whole, file, title }),
);

describe('docs/specification-tests.md', () => {
  it('names tests in every row', () => {
    const rows = read('../docs/specification-tests.md')
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\| (section|---)/.test(line));
    expect(rows.length).toBeGreaterThan(60);
    for (const row of rows) expect(row).toMatch(/`[a-z-]+`: `[^`]+`/);
  });

  it.each(named)('$whole is there', ({ file, title }) => {
    const source = read(`${file}.e2e.test.ts`);
    const written = ["'", '"', '`'].map((quote) => `${quote}${title}${quote}`);
    expect(
      written.some((literal) => source.includes(literal)),
      `${file}: ${title}`,
    ).toBe(true);
  });
});
