import { sql } from 'kysely';
import { ledgerStreamPrefix } from '#shared/domain/ledger/events.ts';
import { UnappliableEvent, type Batch, type ReadModel } from '../read-model.ts';
import { upsertRows } from '../rows/upsert.ts';
import {
  projectApproved,
  projectLateFact,
  readResolving,
  resolvedRow,
  waitsForNobody,
  type SuspenseResolution,
} from './project.ts';
import { approvedMoneyTable, isMoney, suspenseTable, type SuspenseRow } from './table.ts';

/**
 * A row for every late fact, with an operator's decision: money is resolved by a ledger entry, a
 * status by an acknowledgement. A repeated event writes the same row.
 */
export const suspenseReadModel: ReadModel = {
  name: 'suspense',
  version: 13,
  streamPrefixes: ['late-', ledgerStreamPrefix],
  tables: [suspenseTable, approvedMoneyTable],
  apply: async (batch: Batch) => {
    const { tx, schema, events } = batch;
    const read = events.map((event) => {
      try {
        return { event, resolving: readResolving(event), approved: projectApproved(event) };
      } catch (cause) {
        throw new UnappliableEvent(event, cause);
      }
    });
    const rows = await rowsBefore(
      batch,
      read.flatMap(({ resolving }) => resolving ?? []),
    );
    const changed = new Map<string, SuspenseRow>();
    for (const { event, resolving } of read) {
      if ((event.stream.startsWith(ledgerStreamPrefix) || waitsForNobody(event)) && !resolving)
        continue;
      try {
        const row = resolving
          ? resolvedRow(find(rows, resolving), resolving, event)
          : projectLateFact(event);
        for (const key of suspenseKeys(row)) rows.set(key, row);
        changed.set(row.entry_id, row);
      } catch (cause) {
        throw new UnappliableEvent(event, cause);
      }
    }
    await upsertRows(tx, { table: suspenseTable, schema, rows: [...changed.values()] });
    const approved = read.flatMap((each) => each.approved ?? []);
    await upsertRows(tx, { table: approvedMoneyTable, schema, rows: approved });
  },
};

/** A return may have the id of the leg that it reverses. */
const legKey = (operationId: string, legId: string, ofLegId: string | null) =>
  `${ofLegId === null ? 'leg' : 'back'} ${operationId} ${legId}`;

/** A fact's own id, and for money its leg: ledger entries know that. */
function suspenseKeys(row: SuspenseRow): string[] {
  const { entry_id, operation_id, leg_id, of_leg_id } = row;
  if (leg_id === null || !isMoney(row)) return [entry_id];
  return [entry_id, legKey(operation_id, leg_id, of_leg_id)];
}

function find(rows: ReadonlyMap<string, SuspenseRow>, { of }: SuspenseResolution): SuspenseRow {
  const row = rows.get('entryId' in of ? of.entryId : legKey(of.operationId, of.legId, of.ofLegId));
  // In the log, the fact comes before its resolution.
  if (!row) throw new Error('it resolves what was never reported');
  return row;
}

/** The rows that a batch resolves, as earlier batches wrote them. */
async function rowsBefore(
  { tx, schema }: Batch,
  resolvings: readonly SuspenseResolution[],
): Promise<Map<string, SuspenseRow>> {
  if (resolvings.length === 0) return new Map();
  const entryIds = resolvings.flatMap(({ of }) => ('entryId' in of ? [of.entryId] : []));
  const operationIds = resolvings.flatMap(({ of }) =>
    'operationId' in of ? [of.operationId] : [],
  );
  const { rows } = await sql<SuspenseRow>`
    select * from ${sql.id(schema, suspenseTable.name)}
    where entry_id = any(${entryIds}::text[]) or operation_id = any(${operationIds}::uuid[])`.execute(
    tx,
  );
  return new Map(rows.flatMap((row) => suspenseKeys(row).map((key) => [key, row])));
}
