import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { activityCsv } from './activity.ts';
import { balancesCsv } from './balances.ts';
import { journalCsv } from './journal.ts';
import { operationsCsv } from './operations.ts';
import { findingsCsv, statementsCsv } from './statements.ts';
import { deliveriesCsv } from './webhook-deliveries.ts';

const lists = [
  activityCsv,
  balancesCsv,
  deliveriesCsv,
  findingsCsv,
  journalCsv,
  operationsCsv,
  statementsCsv,
];

it('names every column that may begin with an apostrophe where programs are told of them', async () => {
  const page = await readFile(new URL('../../docs/operators/exports.md', import.meta.url), 'utf8');
  const told = /The columns with apostrophes are .*?\. Excel/s.exec(page)?.[0] ?? '';
  const columns = lists.flatMap((list) => list({}).columns);
  const foreign = columns.filter((column) => column.foreign).map(({ name }) => name);
  const named = new Set([...told.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named).toEqual(new Set(foreign));
});
