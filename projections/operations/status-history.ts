import { defineTable, type RowOf } from '../read-model.ts';
import type { RowChange } from '../rows/row-per-stream.ts';
import type { OperationRow } from './table.ts';

export type StatusRow = RowOf<typeof statusHistoryTable>;

export const statusHistoryTable = defineTable<{
  status: OperationRow['status'];
  next_status: OperationRow['status'] | null;
}>()({
  name: 'status_history',
  comment: 'One row per status that an operation entered, creating included, in their order.',
  primaryKey: ['operation_id', 'number'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment: 'gateway.operations.operation_id (filled in the same transaction)',
    },
    number: {
      type: 'integer not null',
      comment: '1 for the first status of the operation, creating',
    },
    status: { type: 'text not null', comment: 'As gateway.operations.status' },
    entered_at: { type: 'timestamptz not null', comment: 'Time of the event that set it' },
    entered_by: {
      type: 'text not null',
      comment:
        'Who caused it: merchant:<shop_id>, payer:payment-page, operator:<name>, provider:<name> or service:<name>',
    },
    left_at: {
      type: 'timestamptz',
      comment: 'Time of the next status; null for the current one',
    },
    duration: { type: 'interval', comment: 'left_at - entered_at; null for the current one' },
    next_status: { type: 'text', comment: 'The next status; null for the current one' },
    revision: {
      type: 'integer not null',
      comment: "Revision of the event that set it, in the operation's stream",
    },
    position: { type: 'bigint not null', comment: 'Position of that event in the log' },
  },
  indexes: [{ on: 'entered_at', using: 'brin' }],
});

/** The end of a status, for a row that an earlier batch wrote. */
type LeftStatus = Pick<
  StatusRow,
  'operation_id' | 'number' | 'left_at' | 'duration' | 'next_status'
>;
export const leftColumns = ['left_at', 'duration', 'next_status'] as const;

/** The statuses that operations entered in a batch, and earlier ones that they left. */
export function projectStatuses(changes: readonly RowChange<OperationRow>[]): {
  entered: StatusRow[];
  left: LeftStatus[];
} {
  const entered: StatusRow[] = [];
  const left: LeftStatus[] = [];
  const open = new Map<string, StatusRow>();
  for (const { before, after, event } of changes) {
    if (before?.statuses_count === after.statuses_count) continue;
    const { operation_id, status, status_since } = after;
    if (before) {
      const end = {
        left_at: status_since,
        duration: milliseconds(status_since.getTime() - before.status_since.getTime()),
        next_status: status,
      };
      const row = open.get(operation_id);
      if (row) Object.assign(row, end);
      else left.push({ operation_id, number: before.statuses_count, ...end });
    }
    const row: StatusRow = {
      operation_id,
      number: after.statuses_count,
      status,
      entered_at: status_since,
      entered_by: event.metadata.actor,
      left_at: null,
      duration: null,
      next_status: null,
      revision: event.revision,
      position: event.position.toString(),
    };
    open.set(operation_id, row);
    entered.push(row);
  }
  return { entered, left };
}

const milliseconds = (count: number): string => `${count} milliseconds`;
