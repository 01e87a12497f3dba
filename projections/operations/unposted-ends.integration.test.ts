import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { journalEntriesTable } from '../ledger/tables.ts';
import { journalEntryRow, readLedgerEntry } from '../ledger/project.ts';
import { liveSchema as schema } from '../read-model.ts';
import { upsertRows } from '../rows/upsert.ts';
import { entriesOf } from '../testing/ledger-histories.ts';
import { sampleId } from '../testing/sample-log.ts';
import { addOperations, useStatementTables } from '../testing/statement-tables.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { listUnpostedEnds } from './unposted-ends.ts';

it('lists terminal operations whose entries are missing from the journal (R12.12)', async () => {
  const db = await useStatementTables();
  const of = (n: number, type: 'payment' | 'payout') => ({ operationId: sampleId(n), type });
  const payments = [1, 2, 3, 4].map((n) => of(n, 'payment'));
  const payouts = [5, 6, 7, 8].map((n) => of(n, 'payout'));
  await addOperations(db, [...payments, ...payouts]);
  // The third ended without money, the fourth is not terminal, the eighth reserved no funds.
  await sql`update gateway.operations set ended_at = now(), recorded_amount = 10,
    reservation = case type when 'payout' then 2 end`.execute(db);
  await sql`update gateway.operations set recorded_amount = null where operation_id = ${sampleId(3)}`.execute(
    db,
  );
  await sql`update gateway.operations set ended_at = null where operation_id = ${sampleId(4)}`.execute(
    db,
  );
  await sql`update gateway.operations set reservation = null where operation_id = ${sampleId(8)}`.execute(
    db,
  );
  const funds = (n: number, reservation: number): LedgerCommand => ({
    kind: 'reserve',
    operationId: sampleId(n),
    reservation,
    amount: '10.00',
  });
  const release = (n: number, reservation: number): LedgerCommand => ({
    kind: 'release',
    operationId: sampleId(n),
    reservation,
    reserved: '10.00',
  });
  const entries = entriesOf('shop-1', 'RUB', [
    { kind: 'adjustment', adjustmentId: 'top-up', amount: '1000.00', reason: 'top-up' },
    { kind: 'credit', operationId: sampleId(1), recorded: '10.00', commission: '0.00' },
    ...[5, 6].flatMap((n) => [funds(n, 1), release(n, 1), funds(n, 2)]),
    {
      kind: 'capture',
      operationId: sampleId(5),
      reservation: 2,
      reserved: '10.00',
      recorded: '10.00',
      commission: '0.00',
    },
  ]);
  const events = storedEvents(
    'ledger-shop-1-RUB',
    entries.map((data) => ({ type: 'EntryPosted', data })),
  );
  await upsertRows(db, {
    table: journalEntriesTable,
    schema,
    rows: events.map((event, index) => {
      const leaf = { index, hash: Buffer.alloc(32), at: event.created, merchantOperationId: null };
      return journalEntryRow(readLedgerEntry(event), leaf);
    }),
  });

  const all = [...payments, ...payouts].map(({ operationId }) => operationId);
  const unposted = (await listUnpostedEnds(db, all)).toSorted();
  expect(unposted).toEqual([2, 6, 7].map(sampleId));
  expect(await listUnpostedEnds(db, [])).toEqual([]);
});
