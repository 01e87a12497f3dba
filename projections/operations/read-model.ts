import type { ReadModel } from '../read-model.ts';
import { rowPerStream } from '../runner/row-per-stream.ts';
import { projectOperation } from './project.ts';
import { operationsTable } from './table.ts';

export const operationsReadModel: ReadModel = {
  name: 'operations',
  version: 2,
  streamPrefixes: ['operation-'],
  tables: [operationsTable],
  apply: rowPerStream({
    table: operationsTable,
    streamPrefix: 'operation-',
    project: projectOperation,
    // A cancel that came before its create is no operation yet.
    beginsLate: 'OperationAdmitted',
  }),
};
