/** Thrown on bytes that are not the protobuf message they claim to be. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

/**
 * A cursor over protobuf bytes. Byte fields are views, not copies: a field that is retained keeps
 * its whole chunk in memory.
 */
export class ProtoReader {
  readonly buffer: Buffer;
  position: number;
  readonly end: number;

  constructor(buffer: Buffer, position = 0, end: number = buffer.length) {
    this.buffer = buffer;
    this.position = position;
    this.end = end;
  }

  /** The next tag (field number and wire type), 0 at the end of the message. */
  tag(): number {
    return this.position >= this.end ? 0 : this.varint();
  }

  /**
   * An unsigned varint. Exact up to 2^53; above that the nearest double, which is enough for
   * comparisons.
   */
  varint(): number {
    let result = 0;
    let scale = 1;
    for (let index = 0; index < 10; index += 1) {
      if (this.position >= this.end) break;
      const byte = this.buffer[this.position] as number;
      this.position += 1;
      result += (byte & 0x7f) * scale;
      if (byte < 0x80) return result;
      scale *= 128;
    }
    throw new MalformedMessageError('a varint is truncated or too long');
  }

  /** An unsigned 64-bit varint, exact. */
  uint64(): bigint {
    const start = this.position;
    const approximate = this.varint();
    if (approximate <= Number.MAX_SAFE_INTEGER) return BigInt(approximate);
    let exact = 0n;
    for (let index = this.position - 1; index >= start; index -= 1) {
      exact = (exact << 7n) | BigInt((this.buffer[index] as number) & 0x7f);
    }
    return BigInt.asUintN(64, exact);
  }

  bytes(): Buffer {
    const start = this.#startOfField();
    return this.buffer.subarray(start, this.position);
  }

  string(): string {
    const start = this.#startOfField();
    return this.buffer.toString('utf8', start, this.position);
  }

  /** A reader of the nested message that begins here. */
  message(): ProtoReader {
    const start = this.#startOfField();
    return new ProtoReader(this.buffer, start, this.position);
  }

  /** Skips a field that the caller does not know. */
  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#advance(8);
    else if (wireType === 2) this.#startOfField();
    else if (wireType === 5) this.#advance(4);
    else throw new MalformedMessageError(`wire type ${wireType} is not supported`);
  }

  /** The one field of interest, as `read` reads it, the last where it is repeated. */
  only<T>(wanted: number, read: (field: ProtoReader) => T): T | undefined {
    let value: T | undefined;
    for (let tag = this.tag(); tag !== 0; tag = this.tag()) {
      if (tag === wanted) value = read(this);
      else this.skip(tag);
    }
    return value;
  }

  /** An entry of a `map<string, string>`, which is a message of its own. */
  mapEntry(): readonly [key: string, value: string] {
    return this.message().#pair(2, (field) => field.string(), '');
  }

  /** The varints in the fields 1 and 2 of a message; 0 for one that is not sent. */
  twoVarints(): readonly [number, number] {
    return this.#pair(0, (field) => field.varint(), 0);
  }

  twoUint64s(): readonly [bigint, bigint] {
    return this.#pair(0, (field) => field.uint64(), 0n);
  }

  #pair<T>(wireType: 0 | 2, read: (field: ProtoReader) => T, absent: T): readonly [T, T] {
    let first = absent;
    let second = absent;
    for (let tag = this.tag(); tag !== 0; tag = this.tag()) {
      if (tag === (8 | wireType)) first = read(this);
      else if (tag === (16 | wireType)) second = read(this);
      else this.skip(tag);
    }
    return [first, second];
  }

  #startOfField(): number {
    const length = this.varint();
    const start = this.position;
    this.#advance(length);
    return start;
  }

  #advance(length: number): void {
    if (this.position + length > this.end) throw new MalformedMessageError('a field is truncated');
    this.position += length;
  }
}
