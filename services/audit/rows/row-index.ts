import { hash } from 'node:crypto';
import { createPartitions } from '../spill/partitions.ts';

/** Between the values of a row, and for one that is null: no text in PostgreSQL holds the first. */
export const between = '\u001F';
export const none = '\u0001';

/** Hears of rows in full, by the hash of their key. */
export type Watch = (keyHash: bigint, row: { table: string; row: string }) => void;

/** Which rows there are, as hashes on disk: what the log gives, or what a table has. */
export type RowIndex = {
  /** `key`: of the table's primary key; `row`: all of it. A row that is put again replaces itself. */
  put(row: { table: string; key: string; row: string; position: number }): void;
  /** From now on rows are told in full and not kept. */
  watch(watch: Watch): void;
  partitions(): Iterable<Buffer>;
  close(): void;
};

/** 8 bytes each of the key's and the row's hash, and of the position. */
export const rowRecordBytes = 24;

export function createRowIndex(folder: string, name: string): RowIndex {
  const partitions = createPartitions(folder, name, rowRecordBytes);
  const record = Buffer.alloc(rowRecordBytes);
  let watched: Watch | undefined;
  return {
    put: ({ table, key, row, position }) => {
      hash('sha1', `${table}${between}${key}`, 'buffer').copy(record, 0, 0, 8);
      if (watched) return watched(record.readBigUInt64LE(0), { table, row });
      hash('sha1', row, 'buffer').copy(record, 8, 0, 8);
      record.writeDoubleLE(position, 16);
      partitions.add(record);
    },
    watch: (watch) => {
      watched = watch;
    },
    partitions: partitions.each,
    close: partitions.close,
  };
}

export type RowDifference = {
  key: bigint;
  kind: 'missing' | 'surplus' | 'differs';
  /** Of the newest event in the row that the log gives. */
  position: number;
};

/** Every row that is not in both, or not the same in both. A row that was put twice counts as it was put last. */
export function* differences(expected: RowIndex, live: RowIndex): Generator<RowDifference> {
  const lives = live.partitions()[Symbol.iterator]();
  for (const records of expected.partitions()) {
    const rows = rowsIn(records);
    const { value } = lives.next() as { value: Buffer };
    for (const [key, { row }] of rowsIn(value)) {
      const due = rows.get(key);
      if (!due) yield { key, kind: 'surplus', position: 0 };
      else if (due.row !== row) yield { key, kind: 'differs', position: due.position };
      rows.delete(key);
    }
    for (const [key, { position }] of rows) yield { key, kind: 'missing', position };
  }
}

function rowsIn(records: Buffer): Map<bigint, { row: bigint; position: number }> {
  const rows = new Map<bigint, { row: bigint; position: number }>();
  for (let at = 0; at < records.length; at += rowRecordBytes) {
    rows.set(records.readBigUInt64LE(at), {
      row: records.readBigUInt64LE(at + 8),
      position: records.readDoubleLE(at + 16),
    });
  }
  return rows;
}
