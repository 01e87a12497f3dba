import { sql } from 'kysely';
import {
  checkpointRequestPrefix,
  checkpointStreamPrefix,
} from '#shared/domain/ledger/checkpoints.ts';
import { ledgerStream, ledgerStreamPrefix } from '#shared/domain/ledger/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { UnappliableEvent, type Batch, type ReadModel } from '../read-model.ts';
import { isRepeatedEvent } from '../rows/row-per-stream.ts';
import { upsertRows } from '../rows/upsert.ts';
import type { LoggedEntry } from './posted-entry.ts';
import { journalEntryRow, ledgerAfter, readLedgerEntry, reservationAfter } from './project.ts';
import {
  journalEntriesTable,
  ledgersTable,
  reservationsTable,
  type EntryRow,
  type LedgerRow,
  type ReservationRow,
} from './tables.ts';
import {
  checkpointsTable,
  ledgerOperationsTable,
  treeNodesTable,
  treesTable,
} from './tree-tables.ts';
import { createLedgerTrees, operationPrefix } from './trees.ts';

/**
 * The ledgers, and the tree of each over its entries. The ledger's row names the entries that the
 * other tables have.
 */
export const ledgerReadModel: ReadModel = {
  name: 'ledger',
  version: 8,
  streamPrefixes: [
    ledgerStreamPrefix,
    operationPrefix,
    checkpointStreamPrefix,
    checkpointRequestPrefix,
  ],
  tables: [
    journalEntriesTable,
    ledgersTable,
    reservationsTable,
    ledgerOperationsTable,
    treesTable,
    treeNodesTable,
    checkpointsTable,
  ],
  apply: async (batch) => {
    const { tx, schema, events } = batch;
    const ledgers = await readLedgers(batch);
    const trees = await createLedgerTrees(batch);
    const changed = new Map<string, LedgerRow>();
    const posted: LoggedEntry[] = [];
    const entries: EntryRow[] = [];
    for (const event of events) {
      try {
        if (!event.stream.startsWith(ledgerStreamPrefix)) {
          trees.apply(event);
          continue;
        }
        const before = ledgers.get(event.stream);
        if (isRepeatedEvent(before, event)) continue;
        const entry = readLedgerEntry(event);
        const after = ledgerAfter(before, entry);
        if (ledgerStream(after.shop_id, after.currency) !== event.stream)
          throw new Error('its content belongs to another stream');
        ledgers.set(event.stream, after);
        changed.set(event.stream, after);
        posted.push(entry);
        entries.push(journalEntryRow(entry, trees.append(entry)));
      } catch (cause) {
        throw new UnappliableEvent(event, cause);
      }
    }
    await upsertRows(tx, { table: journalEntriesTable, schema, rows: entries });
    await upsertRows(tx, { table: ledgersTable, schema, rows: [...changed.values()] });
    const reservations = await updateReservations(batch, posted);
    await upsertRows(tx, { table: reservationsTable, schema, rows: reservations });
    await trees.write();
  },
};

/** The rows of a batch's ledgers, by stream. A busy ledger is still only one row. */
async function readLedgers({ tx, schema, events }: Batch): Promise<Map<string, LedgerRow>> {
  const streams = [...new Set(events.map(({ stream }: StoredEvent) => stream))].filter((stream) =>
    stream.startsWith(ledgerStreamPrefix),
  );
  if (streams.length === 0) return new Map();
  const { rows } = await sql<LedgerRow>`
    select l.* from unnest(${streams}::text[]) as stream
    join ${sql.id(schema, ledgersTable.name)} l
      on l.currency = substring(stream from '[^-]*$')
      and l.shop_id = substring(stream from '^ledger-(.*)-[^-]*$')`.execute(tx);
  return new Map(rows.map((row) => [ledgerStream(row.shop_id, row.currency), row]));
}

const reservationRowKey = ({
  operation_id,
  reservation,
}: Pick<ReservationRow, 'operation_id' | 'reservation'>) => `${operation_id} ${reservation}`;

/** The reservations that entries open or close, starting from those that earlier batches wrote. */
async function updateReservations(
  { tx, schema }: Batch,
  posted: readonly LoggedEntry[],
): Promise<ReservationRow[]> {
  const byKey = new Map<string, ReservationRow>();
  const ending = posted.flatMap(({ entry }) =>
    entry.kind === 'capture' || entry.kind === 'release' ? [entry.operation_id] : [],
  );
  if (ending.length > 0) {
    const { rows } = await sql<ReservationRow>`
      select * from ${sql.id(schema, reservationsTable.name)}
      where operation_id = any(${[...new Set(ending)]}::uuid[])`.execute(tx);
    for (const row of rows) byKey.set(reservationRowKey(row), row);
  }
  const changed = new Map<string, ReservationRow>();
  for (const each of posted) {
    if (!('reservation' in each.entry)) continue;
    const key = reservationRowKey(each.entry);
    const after = reservationAfter(byKey.get(key), each);
    if (!after) continue;
    byKey.set(key, after);
    changed.set(key, after);
  }
  return [...changed.values()];
}
