import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Records of a fixed length, far more than memory holds: each goes by its first bytes into one of
 * many files, in the order in which it came. What has to be found out about records with the same
 * first bytes needs one file at a time in memory.
 */
export type Partitions = {
  /** Copies the record; its first 8 bytes decide where it goes. */
  add(record: Buffer): void;
  /**
   * All records of the partition with this number, none where it has none. Nothing is added after
   * that.
   */
  at(index: number): Buffer;
  close(): void;
};

/**
 * As many as there are in each: records with the same first bytes are in the partition of the same
 * number.
 */
export const partitionCount = 64;
const bufferBytes = 32_768;

export function createPartitions(folder: string, name: string, recordBytes: number): Partitions {
  const capacity = Math.floor(bufferBytes / recordBytes) * recordBytes;
  const parts = Array.from({ length: partitionCount }, (_, index) => {
    const file = join(folder, `${name}-${index}`);
    return {
      file,
      handle: undefined as number | undefined,
      spilled: false,
      buffer: undefined as Buffer | undefined,
      used: 0,
    };
  });
  type Part = (typeof parts)[number];
  const flush = (part: Part) => {
    if (part.used === 0 || !part.buffer) return;
    part.handle ??= openSync(part.file, 'a', 0o600);
    part.spilled = true;
    writeSync(part.handle, part.buffer, 0, part.used);
    part.used = 0;
  };
  return {
    add: (record) => {
      // Ids of one maker may share their first bytes: all eight have a say.
      const place = (record.readUInt32LE(0) ^ record.readUInt32LE(4)) >>> 0;
      const part = parts[((place ^ (place >>> 16) ^ (place >>> 8)) >>> 0) % partitionCount] as Part;
      if (part.used === capacity) flush(part);
      part.buffer ??= Buffer.allocUnsafe(capacity);
      record.copy(part.buffer, part.used);
      part.used += recordBytes;
    },
    at: (index) => {
      const part = parts[index] as Part;
      if (!part.spilled) return part.buffer?.subarray(0, part.used) ?? Buffer.alloc(0);
      flush(part);
      if (part.handle !== undefined) closeSync(part.handle);
      part.handle = undefined;
      return readFileSync(part.file);
    },
    close: () => {
      for (const part of parts) if (part.handle !== undefined) closeSync(part.handle);
    },
  };
}
