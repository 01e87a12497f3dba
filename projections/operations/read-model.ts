import type { Batch, ReadModel } from '../read-model.ts';
import { rowPerStream, type Change } from '../runner/row-per-stream.ts';
import { updateRows, upsertRows } from '../runner/upsert.ts';
import { legsOf, legsTable } from './legs.ts';
import { projectOperation } from './project.ts';
import { leftColumns, statusesOf, statusHistoryTable } from './status-history.ts';
import { operationsTable, type OperationRow } from './table.ts';
import { uploadedReceiptsOf, uploadedReceiptsTable } from './uploaded-receipts.ts';

/** All that operation streams hold, in one: the row of an operation says which events the other tables have. */
export const operationsReadModel: ReadModel = {
  name: 'operations',
  version: 3,
  streamPrefixes: ['operation-'],
  tables: [operationsTable, statusHistoryTable, legsTable, uploadedReceiptsTable],
  apply: rowPerStream({
    table: operationsTable,
    key: 'operation_id',
    streamPrefix: 'operation-',
    project: projectOperation,
    // A cancel that came before its create is no operation yet.
    beginsLate: 'OperationAdmitted',
    beside: writeDetails,
  }),
};

async function writeDetails(batch: Batch, changes: readonly Change<OperationRow>[]): Promise<void> {
  const { tx, schema } = batch;
  const { entered, left } = statusesOf(changes);
  await upsertRows(tx, { table: statusHistoryTable, schema, rows: entered });
  await updateRows(tx, {
    table: statusHistoryTable,
    schema,
    rows: left,
    changed: leftColumns,
  });
  await upsertRows(tx, { table: legsTable, schema, rows: legsOf(changes) });
  const receipts = await uploadedReceiptsOf(batch, changes);
  await upsertRows(tx, { table: uploadedReceiptsTable, schema, rows: receipts });
}
