import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export type Partitions = ReturnType<typeof createPartitions>;

/** The same number everywhere, so that equal first bytes are in partitions of equal number. */
export const partitionCount = 64;
const bufferBytes = 32_768;

/**
 * Fixed-length records, far more than memory holds. Each goes into one of many files, chosen by its
 * first bytes, in order of arrival. To process all records with the same first bytes, only one file
 * has to be in memory.
 */
export function createPartitions(folder: string, name: string, recordBytes: number) {
  const capacity = Math.floor(bufferBytes / recordBytes) * recordBytes;
  const partitions = Array.from({ length: partitionCount }, (_, index) => {
    const file = join(folder, `${name}-${index}`);
    return {
      file,
      handle: undefined as number | undefined,
      spilled: false,
      buffer: undefined as Buffer | undefined,
      used: 0,
    };
  });
  type Part = (typeof partitions)[number];
  const flush = (part: Part) => {
    if (part.used === 0 || !part.buffer) return;
    part.handle ??= openSync(part.file, 'a', 0o600);
    part.spilled = true;
    writeSync(part.handle, part.buffer, 0, part.used);
    part.used = 0;
  };
  return {
    /** Copies the record; its first 8 bytes choose the partition. */
    add: (record: Buffer): void => {
      // Ids from one generator may share their first bytes, so all eight bytes count.
      const hash = (record.readUInt32LE(0) ^ record.readUInt32LE(4)) >>> 0;
      const part = partitions[
        ((hash ^ (hash >>> 16) ^ (hash >>> 8)) >>> 0) % partitionCount
      ] as Part;
      if (part.used === capacity) flush(part);
      part.buffer ??= Buffer.allocUnsafe(capacity);
      record.copy(part.buffer, part.used);
      part.used += recordBytes;
    },
    /** All records of one partition. Nothing may be added after that. */
    at: (index: number): Buffer => {
      const part = partitions[index] as Part;
      if (!part.spilled) return part.buffer?.subarray(0, part.used) ?? Buffer.alloc(0);
      flush(part);
      if (part.handle !== undefined) closeSync(part.handle);
      part.handle = undefined;
      return readFileSync(part.file);
    },
    close: () => {
      for (const part of partitions) if (part.handle !== undefined) closeSync(part.handle);
    },
  };
}
