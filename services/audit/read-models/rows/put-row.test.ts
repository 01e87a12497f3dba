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

it('takes no money and no outcome of any table from a projection that is wrong (R18.5)', () => {
  for (const [table, { columns }] of Object.entries(auditedTables)) {
    const all = (value: string, some = columns) =>
      Object.fromEntries(some.map(({ name }) => [name, value]));
    const isOwn = columns.filter((column) => column.isOwn);
    const row = putRow(table as TableName, all('7'), all('8', isOwn));
    expect(row).toEqual({ ...all('7'), ...all('8', isOwn) });
    for (const { name } of isOwn)
      expect(() => {
        const { [name]: _lost, ...own } = all('8', isOwn);
        putRow(table as TableName, all('7'), own);
      }).toThrow(`gateway.${table}.${name} needs a formula`);
  }
});

it('has own formulas for every amount that moves (R18.5)', () => {
  const own = Object.entries(auditedTables).flatMap(([table, { columns }]) =>
    columns.filter(({ isOwn }) => isOwn).map(({ name }) => `${table}.${name}`),
  );
  const some = ['operations.status', 'legs.amount', 'ledgers.balance', 'statements.total_in'];
  some.push('journal_entries.kind', 'journal_entries.fx_rate', 'suspense.kind', 'legs.currency');
  some.push('statement_lines.direction', 'operation_decisions.decision', 'evidence.status');
  expect(own).toEqual(expect.arrayContaining(some));
  expect(own.filter((name) => name.startsWith('route_history.'))).toEqual([]);
});
