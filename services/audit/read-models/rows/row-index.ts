import { hash } from 'node:crypto';
import { createPartitions, partitionCount } from '../../log/spill/partitions.ts';
import { auditedTables, type TableName } from './tables.ts';

/**
 * A separator between the values of a row, and a mark for null. No text in PostgreSQL contains the
 * first.
 */
export const between = '\u001F';
export const none = '\u0001';

/** Every kind of row that is compared: those of the read models' tables, and webhook messages. */
export type RowTable = TableName | 'message';
const rowTables = [...Object.keys(auditedTables), 'message'] as RowTable[];
const numbers = new Map(rowTables.map((name, number) => [name, number]));

/** Called with whole rows, by the hash of their key. */
export type RowWatch = (keyHash: bigint, row: { table: RowTable; row: string }) => void;

/** An index of rows, as hashes on disk: those that the log gives, or those of the live tables. */
export type RowIndex = {
  /**
   * `key`: the table's primary key; `row`: the whole row. A row that is put again replaces the
   * earlier one.
   */
  put(row: { table: RowTable; key: string; row: string; position: number }): void;
  /** From now on rows are passed to `watch` whole, and not indexed. */
  watch(watch: RowWatch): void;
  partition(index: number): Buffer;
  close(): void;
};

/**
 * 8 bytes each for the key's hash, the row's hash and the position, and one for the table's number.
 */
const rowRecordBytes = 25;

export function createRowIndex(folder: string, name: string): RowIndex {
  const partitions = createPartitions(folder, name, rowRecordBytes);
  const record = Buffer.alloc(rowRecordBytes);
  let watched: RowWatch | undefined;
  return {
    put: ({ table, key, row, position }) => {
      hash('sha1', `${table}${between}${key}`, 'buffer').copy(record, 0, 0, 8);
      if (watched) return watched(record.readBigUInt64LE(0), { table, row });
      hash('sha1', row, 'buffer').copy(record, 8, 0, 8);
      record.writeDoubleLE(position, 16);
      record.writeUInt8(numbers.get(table) ?? 255, 24);
      partitions.add(record);
    },
    watch: (watch) => {
      watched = watch;
    },
    partition: partitions.at,
    close: partitions.close,
  };
}

/** A row that differs. `judgeMessages` decides whether a webhook message that does is wrong. */
export type RowDifference = {
  key: bigint;
  table: RowTable;
  kind: 'missing' | 'surplus' | 'differs';
  /** The newest event in the row that the log gives. */
  position: number;
  /** The texts of both rows, if they exist and were read. */
  expected?: string;
  live?: string;
};

/**
 * Every row that only one of the two has, or that differs. Of a row that was put twice, the last
 * counts.
 */
export function* differences(expected: RowIndex, live: RowIndex): Generator<RowDifference> {
  for (let index = 0; index < partitionCount; index += 1) {
    const rows = rowsIn(expected.partition(index));
    for (const [key, { row, table }] of rowsIn(live.partition(index))) {
      const due = rows.get(key);
      if (!due) yield { key, table, kind: 'surplus', position: 0 };
      else if (due.row !== row) yield { key, table, kind: 'differs', position: due.position };
      rows.delete(key);
    }
    for (const [key, { position, table }] of rows) yield { key, table, kind: 'missing', position };
  }
}

type StoredRow = { row: bigint; position: number; table: RowTable };

function rowsIn(records: Buffer): Map<bigint, StoredRow> {
  const rows = new Map<bigint, StoredRow>();
  for (let at = 0; at < records.length; at += rowRecordBytes) {
    rows.set(records.readBigUInt64LE(at), {
      row: records.readBigUInt64LE(at + 8),
      position: records.readDoubleLE(at + 16),
      table: rowTables[records.readUInt8(at + 24)] as RowTable,
    });
  }
  return rows;
}
