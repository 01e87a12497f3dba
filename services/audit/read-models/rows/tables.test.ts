import { expect, it } from 'vitest';
import { readModels } from '#projections/registry.ts';
import { auditedTables } from './tables.ts';

it('lists every table of the read models', () => {
  const defined = readModels.flatMap(({ name: model, tables }) =>
    tables.map(({ name, primaryKey }) => [name, { model, key: primaryKey }] as const),
  );
  const audited = Object.entries(auditedTables).map(
    ([name, { model, key }]) => [name, { model, key }] as const,
  );
  expect(Object.fromEntries(audited)).toEqual(Object.fromEntries(defined));
});
