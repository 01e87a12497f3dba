import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { MalformedMessageError, ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { readUuid } from '../uuid.ts';

export type AppendReply = { correlationId: string } & (
  | { revision: number; position: bigint }
  /**
   * The error that the client throws for it: a wrong expected version, a deleted stream, a timeout,
   * …
   */
  | { error: Error }
);

/**
 * Reads a BatchAppendResp. Most replies are a success; the client decodes the errors.
 * @throws on invalid bytes
 */
export function decodeReply(bytes: Buffer): AppendReply {
  const reader = new ProtoReader(bytes);
  let correlationId = '';
  let place: Place | undefined;
  let failed = false;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) correlationId = readUuid(reader.message());
    else if (tag === 26) place = readSuccess(reader.message());
    else {
      failed ||= tag === 18;
      reader.skip(tag);
    }
  }
  if (failed) return { correlationId, error: decodeError(bytes) };
  if (!place) throw new MalformedMessageError('it is no reply to an append');
  return { correlationId, ...place };
}

type Place = { revision: number; position: bigint };

/** A revision or position of 0 is not sent. */
function readSuccess(reader: ProtoReader): Place {
  const place: Place = { revision: 0, position: 0n };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 8) place.revision = reader.varint();
    else if (tag === 26) place.position = reader.message().only(8, readUint64) ?? 0n;
    else reader.skip(tag);
  }
  return place;
}

const readUint64 = (reader: ProtoReader): bigint => reader.uint64();

/** The error that the client throws for a reply. */
function decodeError(bytes: Buffer): Error {
  const reply = streams.BatchAppendResp.deserializeBinary(bytes);
  const name = reply.getStreamIdentifier()?.getStreamName_asU8() ?? [];
  const error = reply.getError();
  if (!error) throw new MalformedMessageError('the error of a reply can not be read');
  return unpackToCommandError(error, Buffer.from(name).toString('utf8'));
}
