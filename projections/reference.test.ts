import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatted } from '#infra/verify/documents/formatted.ts';
import { describeSchema } from './reference.ts';
import { readModels } from './registry.ts';
import { views } from './views/registry.ts';

const path = fileURLToPath(new URL('../docs/analysts/read-models-reference.md', import.meta.url));

describe('the reference of tables and views', () => {
  it('is what the definitions say', async () => {
    expect(await readFile(path, 'utf8')).toBe(formatted(path, describeSchema(readModels, views)));
  });

  it('has a text for every table, view and column', () => {
    const tables = readModels.flatMap(({ tables: some }) => some);
    for (const { comment, columns } of tables) {
      expect([comment, ...Object.values(columns).map((column) => column.comment)]).not.toContain(
        '',
      );
    }
    for (const { comment, columns } of views) {
      expect([comment, ...Object.values(columns)]).not.toContain('');
    }
    const names = [...tables, ...views].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
