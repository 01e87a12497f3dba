import { expect, it } from 'vitest';
import { readModels } from '#projections/registry.ts';
import { auditedTables, type AuditedTable } from './tables.ts';

it('lists every table and column of the read models, keys first', () => {
  const defined = readModels.flatMap(({ name: model, tables }) =>
    tables.map(({ name, columns, primaryKey }) => ({
      model,
      name,
      columns: Object.keys(columns),
      primaryKey,
    })),
  );
  const audited = Object.values(auditedTables).map((table: AuditedTable) => ({
    model: table.model,
    name: table.name,
    columns: Object.keys(table.columns),
    primaryKey: Object.keys(table.columns).slice(0, table.keyColumns),
  }));
  const byName = (left: { name: string }, right: { name: string }) =>
    left.name.localeCompare(right.name);
  expect(audited.toSorted(byName)).toEqual(defined.toSorted(byName));
});

it('reads time columns as times and intervals', () => {
  for (const { tables } of readModels) {
    for (const { name, columns } of tables) {
      const audited: AuditedTable = auditedTables[name as keyof typeof auditedTables];
      for (const [column, { type }] of Object.entries(columns)) {
        const kind = type.startsWith('timestamptz')
          ? 'time'
          : type.startsWith('interval')
            ? 'interval'
            : 'text';
        expect([column, audited.columns[column]]).toEqual([column, kind]);
      }
    }
  }
});
