import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Records of a fixed length, far more than memory holds: each goes by its first bytes into one of many files, in the order in
 * which it came. What has to be found out about records with the same first bytes needs one file at a time in memory.
 */
export type Partitions = {
  /** Copies the record; its first 8 bytes decide where it goes. */
  add(record: Buffer): void;
  /** Every partition that has any, whole. Nothing is added after that. */
  each(): Iterable<Buffer>;
  close(): void;
};

const count = 64;
const bufferBytes = 32_768;

export function createPartitions(folder: string, name: string, recordBytes: number): Partitions {
  const capacity = Math.floor(bufferBytes / recordBytes) * recordBytes;
  const parts = Array.from({ length: count }, (_, index) => {
    const file = join(folder, `${name}-${index}`);
    return {
      file,
      handle: undefined as number | undefined,
      buffer: undefined as Buffer | undefined,
      used: 0,
    };
  });
  type Part = (typeof parts)[number];
  const flush = (part: Part) => {
    if (part.used === 0 || !part.buffer) return;
    part.handle ??= openSync(part.file, 'w', 0o600);
    writeSync(part.handle, part.buffer, 0, part.used);
    part.used = 0;
  };
  return {
    add: (record) => {
      // Ids of one maker may share their first bytes: all eight have a say.
      const place = (record.readUInt32LE(0) ^ record.readUInt32LE(4)) >>> 0;
      const part = parts[((place ^ (place >>> 16) ^ (place >>> 8)) >>> 0) % count] as Part;
      if (part.used === capacity) flush(part);
      part.buffer ??= Buffer.allocUnsafe(capacity);
      record.copy(part.buffer, part.used);
      part.used += recordBytes;
    },
    each: function* () {
      for (const part of parts) {
        if (part.handle === undefined) {
          if (part.buffer) yield part.buffer.subarray(0, part.used);
          continue;
        }
        flush(part);
        closeSync(part.handle);
        part.handle = undefined;
        yield readFileSync(part.file);
      }
    },
    close: () => {
      for (const part of parts) if (part.handle !== undefined) closeSync(part.handle);
    },
  };
}
