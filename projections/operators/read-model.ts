import { UnappliableEvent, type ReadModel } from '../read-model.ts';
import { upsertRows } from '../rows/upsert.ts';
import { commandStreams, projectCommand } from './project.ts';
import { commandsTable, type CommandRow } from './table.ts';

export const operatorsReadModel: ReadModel = {
  name: 'operators',
  version: 5,
  streamPrefixes: commandStreams,
  tables: [commandsTable],
  apply: async ({ tx, schema, events }) => {
    const rows: CommandRow[] = [];
    for (const event of events) {
      try {
        const row = projectCommand(event);
        if (row) rows.push(row);
      } catch (cause) {
        throw new UnappliableEvent(event, cause);
      }
    }
    await upsertRows(tx, { table: commandsTable, schema, rows });
  },
};
