/** How many bytes a varint takes. */
export function varintLength(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  let length = 4;
  for (
    let remaining = Math.floor(value / 0x10000000);
    remaining > 0;
    remaining = Math.floor(remaining / 128)
  )
    length += 1;
  return length;
}

/** Writes a non-negative safe integer as a varint and returns the offset after it. */
export function writeVarint(target: Buffer, offset: number, value: number): number {
  let remaining = value;
  let at = offset;
  while (remaining > 0x7fffffff) {
    target[at] = (remaining % 128) | 0x80;
    at += 1;
    remaining = Math.floor(remaining / 128);
  }
  while (remaining > 0x7f) {
    target[at] = (remaining & 0x7f) | 0x80;
    at += 1;
    remaining >>>= 7;
  }
  target[at] = remaining;
  return at + 1;
}

/** How many bytes a length-delimited field takes: a tag of one byte, the length, the content. */
export function fieldLength(length: number): number {
  return 1 + varintLength(length) + length;
}

/**
 * Writes a tag of one byte, and a varint: a varint field, or a length that its content follows.
 * Returns the offset after it.
 */
export function writeTagged(target: Buffer, offset: number, tag: number, value: number): number {
  target[offset] = tag;
  return writeVarint(target, offset + 1, value);
}

/** Writes a length-delimited field whose tag has one byte, and returns the offset after it. */
export function writeField(
  target: Buffer,
  offset: number,
  tag: number,
  content: Uint8Array,
): number {
  return writeBytes(target, writeTagged(target, offset, tag, content.length), content);
}

/** Writes encoded fields, or the content of one, and returns the offset after them. */
export function writeBytes(target: Buffer, offset: number, bytes: Uint8Array): number {
  target.set(bytes, offset);
  return offset + bytes.length;
}

/** A whole message, or a part of one, of encoded fields. */
export function encodeMessage(...fields: readonly Uint8Array[]): Buffer {
  return fields.length === 1 ? Buffer.from(fields[0] as Uint8Array) : Buffer.concat(fields);
}

/** A varint field (uint32, uint64, int32, bool, enum); a bigint if the value may be above 2^53. */
export function varintField(field: number, value: number | bigint): Buffer {
  if (typeof value === 'bigint') return bigVarintField(field, value);
  const out = Buffer.allocUnsafe(varintLength(field << 3) + varintLength(value));
  writeVarint(out, writeVarint(out, 0, field << 3), value);
  return out;
}

/** A length-delimited field: bytes or a nested message. */
export function bytesField(field: number, value: Uint8Array): Buffer {
  const tag = (field << 3) | 2;
  const header = varintLength(tag) + varintLength(value.length);
  const out = Buffer.allocUnsafe(header + value.length);
  out.set(value, writeVarint(out, writeVarint(out, 0, tag), value.length));
  return out;
}

export function stringField(field: number, value: string): Buffer {
  return bytesField(field, Buffer.from(value, 'utf8'));
}

/** A nested message without fields: only its presence means something. */
export function emptyField(field: number): Buffer {
  return bytesField(field, NOTHING);
}

const NOTHING = Buffer.alloc(0);

function bigVarintField(field: number, value: bigint): Buffer {
  const bytes: number[] = [];
  let remaining = BigInt.asUintN(64, value);
  while (remaining > 0x7fn) {
    bytes.push(Number(remaining & 0x7fn) | 0x80);
    remaining >>= 7n;
  }
  bytes.push(Number(remaining));
  return Buffer.concat([Buffer.from([field << 3]), Buffer.from(bytes)]);
}
