import { expect, it } from 'vitest';
import { auditedTables, type TableName } from './tables.ts';
import { putInto } from './put-row.ts';
import { between } from './row-index.ts';

/** The row as it is put, by column. */
function putRow(table: TableName, projected: object, own: Record<string, unknown>) {
  const rows: string[] = [];
  putInto({ put: ({ row }) => void rows.push(row) })(table, projected, { own, position: 7 });
  const texts = rows.join().split(between);
  return Object.fromEntries(auditedTables[table].columns.map(({ name }, at) => [name, texts[at]]));
}

it('takes money from no projection, and all else from it (R18.5)', () => {
  const projected = { event_id: 'event-1', amount: '999.00', done_at: new Date(5_000) };
  expect(putRow('operator_commands', projected, { amount: '-1.00' })).toMatchObject({
    event_id: 'event-1',
    amount: '-1.00',
    done_at: '5000',
  });
  expect(() => putRow('operator_commands', projected, {})).toThrow(
    "gateway.operator_commands.amount needs a formula of the audit's own",
  );
});

it('has own formulas for every amount that moves (R18.5)', () => {
  const own = Object.entries(auditedTables).flatMap(([table, { columns }]) =>
    columns.filter(({ isOwn }) => isOwn).map(({ name }) => `${table}.${name}`),
  );
  expect(own).toEqual(expect.arrayContaining(['operations.actual_amount', 'ledgers.balance']));
  expect(own.filter((name) => name.startsWith('route_history.'))).toEqual([]);
});
