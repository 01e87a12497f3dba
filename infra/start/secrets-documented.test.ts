import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { variables } from '#shared/platform/config/variables.ts';

const guide = readFileSync(new URL('../../docs/operators/operations.md', import.meta.url), 'utf8');
const chapterOf = (heading: string) => new RegExp(`^## ${heading}\n([^]*?)^## `, 'm').exec(guide)?.[1] ?? '';

it('docs/operators/operations.md has every variable', () => {
  const chapter = chapterOf('Environment');
  expect(Object.keys(variables).filter((name) => !chapter.includes(`\`${name}\``))).toEqual([]);
});

it('docs/operators/operations.md says of every key and secret how it is changed', () => {
  const chapter = chapterOf('Keys and secrets');
  const withPassword = ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL'];
  const names = Object.keys(variables).filter(
    (name) => /TOKEN|SECRET|KEY|HEADERS/.test(name) || withPassword.includes(name),
  );
  expect(names).toEqual(expect.arrayContaining(['ADMIN_TOKEN', 'S3_SECRET_ACCESS_KEY', ...withPassword]));
  expect(names.filter((name) => !chapter.includes(`\`${name}\``))).toEqual([]);
});
