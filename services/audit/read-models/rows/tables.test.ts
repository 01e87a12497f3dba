import { expect, it } from 'vitest';
import { auditedTables } from './tables.ts';

it('has a condition for the rows of one shop in every table of the read models', () => {
  const tables = Object.entries(auditedTables);
  expect(tables.length).toBeGreaterThan(20);
  for (const [name, { ofShop }] of tables)
    expect([name, ofShop]).toEqual([name, expect.any(String)]);
});
