import { createPartitions, partitionCount } from './partitions.ts';

/** 16 bytes of value, 8 of position. */
export const positionBytes = 24;

export type Positions = ReturnType<typeof createPositions>;

/** Values of 16 bytes with the positions of their events, in memory that does not grow. */
export function createPositions(folder: string, name: string) {
  const partitions = createPartitions(folder, name, positionBytes);
  const record = Buffer.alloc(positionBytes);
  return {
    add: (value: Buffer, position: number): void => {
      value.copy(record, 0, 0, 16);
      record.writeDoubleLE(position, 16);
      partitions.add(record);
    },
    at: partitions.at,
    /** Each position with a value that an event before has, and that one's position. */
    duplicates: function* () {
      for (let partition = 0; partition < partitionCount; partition += 1) {
        const records = partitions.at(partition);
        const length = records.length / positionBytes;
        // The last bytes of two values nearly always differ: only where they don't is the whole
        // value compared.
        const tails = new BigUint64Array(length);
        for (let index = 0; index < length; index += 1)
          tails[index] = records.readBigUInt64LE(index * positionBytes + 8);
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
  for (let at = 0; at < records.length; at += positionBytes) {
    if (!tails.has(records.readBigUInt64LE(at + 8))) continue;
    const hex = records.toString('hex', at, at + 16);
    const position = records.readDoubleLE(at + 16);
    const first = positions.get(hex);
    if (first === undefined) positions.set(hex, position);
    else yield { hex, position, first };
  }
}
