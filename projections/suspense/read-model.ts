import { UnappliableEvent, type Batch, type ReadModel } from '../read-model.ts';
import { upsertRows } from '../runner/upsert.ts';
import { projectLateFact } from './project.ts';
import { suspenseTable } from './table.ts';

/** A row for every late fact; none ever changes, so that one that comes again is written as it is. */
export const suspenseReadModel: ReadModel = {
  name: 'suspense',
  version: 2,
  streamPrefixes: ['late-'],
  tables: [suspenseTable],
  apply: async ({ tx, schema, events }: Batch) => {
    const rows = events.map((event) => {
      try {
        return projectLateFact(event);
      } catch (cause) {
        throw new UnappliableEvent(event, cause);
      }
    });
    await upsertRows(tx, { table: suspenseTable, schema, rows });
  },
};
