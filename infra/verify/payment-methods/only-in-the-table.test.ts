import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { methodNames, methods } from '#shared/domain/methods/index.ts';

/** Files that may name a method: tests, what they are made with, and examples for readers. */
const exempt = [
  /\.test\.ts$/,
  /(^|\/)testing\//,
  /^shared\/domain\/methods\/table\.ts$/,
  /^services\/merchant-api\/documentation\/reference\/snippets\//,
];

it('no file of the product but the table names a payment method', () => {
  const files = globSync('{shared,services,projections,infra}/**/*.{ts,js,mjs,sh,py,css}')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('infra/verify/') && !path.includes('node_modules/'));
  expect(files).toContain('shared/domain/operation/view.ts');
  const naming = files
    .filter((path) => !exempt.some((pattern) => pattern.test(path)))
    .filter((path) => {
      const text = readFileSync(path, 'utf8');
      return methodNames.some((method) => text.includes(method));
    });
  expect(naming).toEqual([]);
});

it('the names of the methods’ examples are distinct', () => {
  const names = methodNames.map((method) => methods[method].example.name);
  expect(new Set(names).size).toBe(names.length);
});
