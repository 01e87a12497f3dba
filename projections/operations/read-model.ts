import type { Batch, ReadModel } from '../read-model.ts';
import { rowPerStream, type RowChange } from '../rows/row-per-stream.ts';
import { update, upsert, upsertRows, type Write } from '../rows/upsert.ts';
import { projectDecisions, decisionsTable } from './decisions.ts';
import { applyMaterialised, writeEvidenceInLegs } from './evidence.ts';
import { evidenceTable, receiptsTable } from './evidence-tables.ts';
import { projectLegs, legsTable, projectReturns, returnedLegsTable } from './legs.ts';
import { projectOperation } from './project.ts';
import { leftColumns, projectStatuses, statusHistoryTable } from './status-history.ts';
import { operationsTable, type OperationRow } from './table.ts';
import { projectUploadedReceipts, uploadedReceiptsTable } from './uploaded-receipts.ts';

/**
 * All tables made from operation streams: an operation's row names the events that the other tables
 * have. The evidence of its money is here too, whether it is in the operation's legs or in a
 * separate stream.
 */
export const operationsReadModel: ReadModel = {
  name: 'operations',
  version: 15,
  streamPrefixes: ['operation-', 'receipts-'],
  tables: [
    operationsTable,
    statusHistoryTable,
    legsTable,
    returnedLegsTable,
    uploadedReceiptsTable,
    decisionsTable,
    evidenceTable,
    receiptsTable,
  ],
  apply: async (batch) => {
    await applyOperations(batch);
    await applyMaterialised(batch);
  },
};

const applyOperations = rowPerStream({
  table: operationsTable,
  key: 'operation_id',
  streamPrefix: 'operation-',
  project: projectOperation,
  // A cancel that came before its create is no operation yet.
  beginsLate: 'OperationAdmitted',
  companionWrites: detailWrites,
});

function detailWrites(batch: Batch, changes: readonly RowChange<OperationRow>[]): Write[] {
  const { schema } = batch;
  const { entered, left } = projectStatuses(changes);
  return [
    upsert({ table: statusHistoryTable, schema, rows: entered }),
    update({ table: statusHistoryTable, schema, rows: left, changed: leftColumns }),
    upsert({ table: legsTable, schema, rows: projectLegs(changes) }),
    upsert({ table: returnedLegsTable, schema, rows: projectReturns(changes) }),
    upsert({ table: decisionsTable, schema, rows: projectDecisions(changes) }),
    async () => writeEvidenceInLegs(batch, changes),
    // These need what earlier batches wrote of the same receipts.
    async (tx) => {
      const rows = await projectUploadedReceipts(batch, changes);
      await upsertRows(tx, { table: uploadedReceiptsTable, schema, rows });
    },
  ];
}
