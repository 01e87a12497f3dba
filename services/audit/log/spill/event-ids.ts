import { partitionCount } from './partitions.ts';
import { createPositions, positionBytes } from './positions.ts';

export type EventIds = ReturnType<typeof createEventIds>;

/** Finds duplicate and unknown event ids, in memory that does not grow with the log. */
export function createEventIds(folder: string) {
  const ids = createPositions(folder, 'ids');
  const causes = createPositions(folder, 'causes');
  const bytes = Buffer.alloc(16);
  return {
    add: (id: string, position: number): void => ids.add(uuidIn(bytes, id), position),
    /** Notes that the event at a position names one as its cause. */
    addCause: (id: string, position: number): void => causes.add(uuidIn(bytes, id), position),
    /** Each position whose cause is no event before it. */
    unknownCauses: function* () {
      for (let partition = 0; partition < partitionCount; partition += 1) {
        const named = causes.at(partition);
        if (named.length === 0) continue;
        const positions = firstPositions(ids.at(partition));
        for (let at = 0; at < named.length; at += positionBytes) {
          const position = named.readDoubleLE(at + 16);
          const cause = positions.get(named.readBigUInt64LE(at + 8)) ?? Infinity;
          if (cause >= position) yield position;
        }
      }
    },
    /** Each position with an id that was used before, and the id's first position. */
    duplicates: function* () {
      for (const { hex, ...positions } of ids.duplicates())
        yield { id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), ...positions };
    },
    close: () => {
      ids.close();
      causes.close();
    },
  };
}

/** By the last bytes of ids, which nearly always differ. */
function firstPositions(records: Buffer): Map<bigint, number> {
  const positions = new Map<bigint, number>();
  for (let at = 0; at < records.length; at += positionBytes) {
    const tail = records.readBigUInt64LE(at + 8);
    if (!positions.has(tail)) positions.set(tail, records.readDoubleLE(at + 16));
  }
  return positions;
}

function uuidIn(bytes: Buffer, id: string): Buffer {
  bytes.write(id.slice(0, 8), 0, 'hex');
  bytes.write(id.slice(9, 13), 4, 'hex');
  bytes.write(id.slice(14, 18), 6, 'hex');
  bytes.write(id.slice(19, 23), 8, 'hex');
  bytes.write(id.slice(24, 36), 10, 'hex');
  return bytes;
}
