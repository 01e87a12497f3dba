import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { variables } from '#shared/platform/config/variables.ts';

const pageOf = (name: string) =>
  readFileSync(new URL(`../../docs/operators/${name}.md`, import.meta.url), 'utf8');
const isIn = (text: string) => (name: string) => text.includes(`\`${name}\``);

it('docs/operators/operations.md has every variable', () => {
  const [, environment = ''] = /^## Environment\n([^]*?)^## /m.exec(pageOf('operations')) ?? [];
  const named = isIn(environment);
  expect(Object.keys(variables).filter((name) => !named(name))).toEqual([]);
});

it('docs/operators/keys.md says of every key and secret how it is changed', () => {
  const withPassword = ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL'];
  const names = Object.keys(variables).filter(
    (name) => /TOKEN|SECRET|KEY|HEADERS/.test(name) || withPassword.includes(name),
  );
  expect(names).toEqual(
    expect.arrayContaining(['ADMIN_TOKEN', 'S3_SECRET_ACCESS_KEY', ...withPassword]),
  );
  const named = isIn(pageOf('keys'));
  expect(names.filter((name) => !named(name))).toEqual([]);
});
