/** Where the first record of a fresh log is. */
export const FIRST_POSITION = 231;

// Ids, flags, revision, time and framing of a record in the real server's log.
const FIXED_BYTES = 88;

type RecordParts = {
  readonly stream: string;
  readonly type: string;
  readonly dataBytes: number;
  readonly metadataBytes: number;
};

/**
 * By how much a record moves the end of the log. Positions are byte offsets in a log of the real
 * server's format, so that no client relies on positions without gaps. Here they only have to grow.
 */
export function recordSize({ stream, type, dataBytes, metadataBytes }: RecordParts): number {
  const textBytes = Buffer.byteLength(stream) + Buffer.byteLength(type) + 2;
  return FIXED_BYTES + textBytes + dataBytes + metadataBytes;
}
