import type { ReadModel } from '../read-model.ts';
import { rowPerStream } from '../runner/row-per-stream.ts';
import { upsert } from '../runner/upsert.ts';
import { projectEvidence, receiptRows } from './project.ts';
import { evidenceTable, receiptsTable } from './tables.ts';

/** The evidence of transfers, as merchants are shown it. */
export const receiptsReadModel: ReadModel = {
  name: 'receipts',
  version: 1,
  streamPrefixes: ['receipts-'],
  tables: [evidenceTable, receiptsTable],
  apply: rowPerStream({
    table: evidenceTable,
    key: 'operation_id',
    streamPrefix: 'receipts-',
    project: projectEvidence,
    beside: ({ schema }, changes) => {
      const rows = changes.flatMap(({ event }) => receiptRows(event));
      return [upsert({ table: receiptsTable, schema, rows })];
    },
  }),
};
