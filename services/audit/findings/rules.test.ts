import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ruleCodes } from '#shared/domain/audit/rules.ts';

it('has every rule in docs/analysts/audit.md, in the same order, and no other there', () => {
  const text = readFileSync(new URL('../../../docs/analysts/audit.md', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^- `([a-z_]+\.[a-z_]+)`:/gm)].map(([, code]) => code);
  expect(documented).toEqual(ruleCodes);
});
