import { createPartitions, partitionCount } from './partitions.ts';

export type EventIds = ReturnType<typeof createEventIds>;

/** 16 bytes of id, 8 of position. */
const recordBytes = 24;

/** Finds duplicate event ids, in memory that does not grow with the log. */
export function createEventIds(folder: string) {
  const partitions = createPartitions(folder, 'ids', recordBytes);
  const record = Buffer.alloc(recordBytes);
  return {
    add: (id: string, position: number): void => {
      writeUuid(record, id);
      record.writeDoubleLE(position, 16);
      partitions.add(record);
    },
    /** Each position with an id that was used before, and the id's first position. */
    duplicates: function* () {
      for (let partition = 0; partition < partitionCount; partition += 1) {
        const records = partitions.at(partition);
        const length = records.length / recordBytes;
        // The last bytes of two UUIDs nearly always differ: only where they don't is the whole id
        // compared.
        const tails = new BigUint64Array(length);
        for (let index = 0; index < length; index += 1)
          tails[index] = records.readBigUInt64LE(index * recordBytes + 8);
        const sorted = tails.toSorted();
        const repeated = new Set<bigint>();
        for (let index = 1; index < length; index += 1)
          if (sorted[index] === sorted[index - 1]) repeated.add(sorted[index] ?? 0n);
        if (repeated.size > 0) yield* repeatedIn(records, repeated);
      }
    },
    close: partitions.close,
  };
}

function* repeatedIn(records: Buffer, tails: ReadonlySet<bigint>) {
  const positions = new Map<string, number>();
  for (let at = 0; at < records.length; at += recordBytes) {
    if (!tails.has(records.readBigUInt64LE(at + 8))) continue;
    const hex = records.toString('hex', at, at + 16);
    const position = records.readDoubleLE(at + 16);
    const first = positions.get(hex);
    if (first === undefined) positions.set(hex, position);
    else yield { id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), position, first };
  }
}

function writeUuid(record: Buffer, id: string): void {
  record.write(id.slice(0, 8), 0, 'hex');
  record.write(id.slice(9, 13), 4, 'hex');
  record.write(id.slice(14, 18), 6, 'hex');
  record.write(id.slice(19, 23), 8, 'hex');
  record.write(id.slice(24, 36), 10, 'hex');
}
