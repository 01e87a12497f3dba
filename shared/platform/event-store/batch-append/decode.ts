import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

export type AppendReply = { correlationId: string } & (
  | { revision: number; position: bigint }
  /**
   * The error that the client throws for it: a wrong expected version, a deleted stream, a timeout,
   * …
   */
  | { error: Error }
);

/**
 * Reads a BatchAppendResp. Most replies are a success, which is decoded by hand; the client decodes
 * all others.
 * @throws on invalid bytes
 */
export function decodeReply(bytes: Buffer): AppendReply {
  return readSuccess(bytes) ?? readWhole(bytes);
}

function readSuccess(bytes: Buffer): AppendReply | undefined {
  let correlationId: string | undefined;
  let success: Fields | undefined;
  for (const [tag, value] of fields(bytes)) {
    // An error, or a correlation id in its other form.
    if (tag === 0x12) return undefined;
    if (tag === 0x0a && Buffer.isBuffer(value)) {
      for (const [inner, text] of fields(value)) {
        if (inner !== 0x12 || !Buffer.isBuffer(text)) return undefined;
        correlationId = text.toString('latin1');
      }
    }
    if (tag === 0x1a && Buffer.isBuffer(value)) success = fields(value);
  }
  if (correlationId === undefined || success === undefined) return undefined;
  let revision: number | undefined;
  let position: bigint | undefined;
  for (const [tag, value] of success) {
    if (tag === 0x08 && typeof value === 'bigint') revision = Number(value);
    if (tag === 0x1a && Buffer.isBuffer(value)) {
      for (const [inner, commit] of fields(value)) {
        if (inner === 0x08 && typeof commit === 'bigint') position = commit;
      }
    }
  }
  // A revision or position of 0 is not sent.
  return { correlationId, revision: revision ?? 0, position: position ?? 0n };
}

type Fields = [tag: number, value: bigint | Buffer][];

/**
 * The fields of a message, in order: varints and lengths of bytes, which is all that a reply has.
 */
function fields(bytes: Buffer): Fields {
  const found: Fields = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at] ?? 0;
    const [value, after] = readVarint(bytes, at + 1);
    const isBytes = (tag & 7) === 2;
    if (!isBytes && (tag & 7) !== 0)
      throw new Error('the event store sent what is no reply to an append');
    at = isBytes ? after + Number(value) : after;
    if (at > bytes.length) throw new Error('the event store sent half a reply');
    found.push([tag, isBytes ? bytes.subarray(after, at) : value]);
  }
  return found;
}

function readVarint(bytes: Buffer, start: number): [value: bigint, after: number] {
  let low = 0;
  for (let index = 0; index < 4; index += 1) {
    const byte = bytes[start + index] ?? 0;
    low += (byte & 0x7f) << (7 * index);
    if (byte < 0x80) return [BigInt(low), start + index + 1];
  }
  let value = BigInt(low);
  for (let index = 4; index < 10; index += 1) {
    const byte = bytes[start + index] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return [value, start + index + 1];
  }
  throw new Error('the event store sent what is no number');
}

function readWhole(bytes: Buffer): AppendReply {
  const reply = streams.BatchAppendResp.deserializeBinary(bytes);
  const id = reply.getCorrelationId();
  const correlationId = id?.hasStructured() ? textOf(id.getStructured()) : (id?.getString() ?? '');
  const error = reply.getError();
  if (error) {
    const stream = Buffer.from(reply.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(
      'utf8',
    );
    return { correlationId, error: unpackToCommandError(error, stream) };
  }
  const success = reply.getSuccess();
  return {
    correlationId,
    revision: Number(success?.getCurrentRevision() ?? 0),
    position: BigInt(success?.getPosition()?.getCommitPosition() ?? 0),
  };
}

/** The other form of a UUID: two signed halves. */
function textOf(
  id: { getMostSignificantBits(): string; getLeastSignificantBits(): string } | undefined,
): string {
  const half = (bits = '0') => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const hex = half(id?.getMostSignificantBits()) + half(id?.getLeastSignificantBits());
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
