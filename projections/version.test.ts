import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { readModels } from './registry.ts';
import type { ReadModel, Table } from './read-model.ts';

const tableShape = ({ name, columns, primaryKey, indexes }: Table): unknown => [
  name,
  Object.entries(columns).map(([column, { type, references }]) => [column, type, references]),
  primaryKey,
  indexes,
];

const shapeHash = ({ tables }: ReadModel): string =>
  hash('sha256', JSON.stringify(tables.map(tableShape)), 'hex').slice(0, 12);

/** By read model: its version, and its tables in this version. */
const known: Readonly<Record<string, string>> = {
  shops: '9 67baceb9a90a',
  operations: '15 b117a76bc90c',
  ledger: '8 ba05ad766660',
  suspense: '13 cca4fdf83489',
  operators: '5 45e86a3f3b7a',
  statements: '2 3d2c99ea5e22',
};

it('a read model whose tables changed has another version, and so is rebuilt', () => {
  const current = readModels.map((model) => [model.name, `${model.version} ${shapeHash(model)}`]);
  expect(Object.fromEntries(current)).toEqual(known);
});
