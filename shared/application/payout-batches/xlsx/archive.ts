import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';

/** A file that is no workbook, or a damaged, encrypted or otherwise unusual one. */
export class InvalidWorkbook extends Error {}
/** A workbook that has more in it than is unpacked. */
export class WorkbookTooLarge extends Error {}

/** A zip archive with its directory read. */
export type Archive = {
  /** How many bytes are unpacked at most, as its directory states. */
  statedBytes: number;
  /** How many bytes were unpacked so far, or were to be. */
  unpackedBytes(): number;
  /** @throws InvalidWorkbook, WorkbookTooLarge */
  unpack(name: string): Promise<Uint8Array | undefined>;
};

type Entry = { method: number; crc: number; packed: number; size: number; at: number };

const endSignature = 0x06_05_4b_50;
const entrySignature = 0x02_01_4b_50;
const localSignature = 0x04_03_4b_50;
const endBytes = 22;
const entryBytes = 46;
const localBytes = 30;
const mostCommentBytes = 0xff_ff;
/** A workbook that people write has some twenty. */
const mostEntries = 1_000;
const encrypted = 1;
const deflated = 8;

const inflate = promisify(inflateRaw);

/** What is unpacked of a file; 10,000 rows of usual length have 10 MB. */
const mostUnpackedBytes = 32 * 1024 * 1024;

/** @throws InvalidWorkbook */
export function openArchive(bytes: Uint8Array): Archive {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = within(() => readDirectory(file));
  const used = new Set<Entry>();
  let stated = 0;
  for (const { size } of entries.values()) stated += size;
  let unpackedBytes = 0;
  return {
    statedBytes: Math.min(stated, mostUnpackedBytes),
    unpackedBytes: () => unpackedBytes,
    unpack: async (name) => {
      const entry = entries.get(name);
      if (!entry) return undefined;
      if (used.has(entry)) throw new InvalidWorkbook('a part has two uses');
      used.add(entry);
      if (unpackedBytes + entry.size > mostUnpackedBytes) throw new WorkbookTooLarge();
      unpackedBytes += entry.size;
      const content = await unpackEntry(
        within(() => packedBytes(file, entry)),
        entry,
      );
      // What was unpacked is what was counted, or the file is damaged.
      if (content.length === entry.size && crc32(content) === entry.crc) return content;
      throw new InvalidWorkbook('a part is damaged');
    },
  };
}

/** A read outside of the file. @throws InvalidWorkbook */
function within<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof RangeError) throw new InvalidWorkbook('it ends too early', { cause });
    throw cause;
  }
}

function readDirectory(file: Buffer): ReadonlyMap<string, Entry> {
  const end = findEnd(file);
  const count = file.readUInt16LE(end + 10);
  if (count > mostEntries) throw new InvalidWorkbook('it has too many parts');
  const entries = new Map<string, Entry>();
  let at = file.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (file.readUInt32LE(at) !== entrySignature) throw new InvalidWorkbook('no directory');
    const lengths = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset));
    const name = file.toString('utf8', at + entryBytes, at + entryBytes + (lengths[0] ?? 0));
    if (entries.has(name)) throw new InvalidWorkbook('two parts have one name');
    if (file.readUInt16LE(at + 8) & encrypted) throw new InvalidWorkbook('it is encrypted');
    entries.set(name, {
      method: file.readUInt16LE(at + 10),
      crc: file.readUInt32LE(at + 16),
      packed: file.readUInt32LE(at + 20),
      size: file.readUInt32LE(at + 24),
      at: file.readUInt32LE(at + 42),
    });
    at += lengths.reduce((sum, length) => sum + length, entryBytes);
  }
  return entries;
}

function findEnd(file: Buffer): number {
  const first = Math.max(0, file.length - endBytes - mostCommentBytes);
  for (let at = file.length - endBytes; at >= first; at -= 1)
    if (file.readUInt32LE(at) === endSignature) return at;
  throw new InvalidWorkbook('it has no directory');
}

function packedBytes(file: Buffer, { at, packed }: Entry): Buffer {
  if (file.readUInt32LE(at) !== localSignature) throw new InvalidWorkbook('no part');
  const from = at + localBytes + file.readUInt16LE(at + 26) + file.readUInt16LE(at + 28);
  if (from + packed > file.length) throw new InvalidWorkbook('a part ends too early');
  return file.subarray(from, from + packed);
}

async function unpackEntry(content: Buffer, { method, size }: Entry): Promise<Buffer> {
  if (method === 0) return content;
  if (method !== deflated) throw new InvalidWorkbook('its compression is not supported');
  return inflate(content, { maxOutputLength: Math.max(1, size) }).catch((cause: unknown) => {
    throw new InvalidWorkbook('a part is damaged', { cause });
  });
}
