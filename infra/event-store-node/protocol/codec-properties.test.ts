import { createRequire } from 'node:module';
import type * as Shared from '@eventstore/db-client/generated/shared_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { readBatchAppendRequest } from './batch-append-request.ts';
import { FRAME_HEADER_BYTES } from './framing.ts';
import { readReadRequest } from './read-request.ts';
import { eventFrame } from './read-responses.ts';
import { encodeRecord, readRecordContent, readRecordStreamName } from './recorded-event.ts';
import { uuidFromText, uuidToText } from './uuid.ts';
import { encodeBatchSuccess } from './write-responses.ts';

// The official client's classes and the node's own code are compatible for arbitrary values.
const require = createRequire(import.meta.url);
const streams = require('@eventstore/db-client/generated/streams_pb.js') as typeof Streams;
const shared = require('@eventstore/db-client/generated/shared_pb.js') as typeof Shared;

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value));
const id = fc.uuid().map((value) => uuidFromText(value) ?? Buffer.alloc(16));
const form = fc.constantFrom('string', 'structured');
const contentType = fc.constantFrom('application/json', 'application/octet-stream');
const position = fc.maxSafeNat();
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const readerOf = (message: { serializeBinary: () => Uint8Array }): ProtoReader =>
  new ProtoReader(Buffer.from(message.serializeBinary()));
const nameOf = (identifier: Shared.StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

function wireId(value: Buffer, as: 'string' | 'structured'): Shared.UUID {
  if (as === 'string') return new shared.UUID().setString(uuidToText(value));
  const halves = new shared.UUID.Structured()
    .setMostSignificantBits(String(value.readBigInt64BE(0)))
    .setLeastSignificantBits(String(value.readBigInt64BE(8)));
  return new shared.UUID().setStructured(halves);
}

/** The id as text, from either form. */
function idOf(wire: Shared.UUID | undefined): string {
  if (wire?.hasString() === true) return wire.getString();
  const halves = wire?.getStructured();
  const value = Buffer.alloc(16);
  value.writeBigInt64BE(BigInt(halves?.getMostSignificantBits() ?? 0), 0);
  value.writeBigInt64BE(BigInt(halves?.getLeastSignificantBits() ?? 0), 8);
  return uuidToText(value);
}

const proposal = fc.record({ id, type: text, contentType: text, data: bytes, metadata: bytes });
const record = fc.record({
  stream: text,
  revision: position,
  position,
  type: text,
  contentType,
  createdMs: fc.nat(2 ** 45),
  metadata: bytes,
  data: bytes,
});

describe('the node’s decoder of client messages', () => {
  it('decodes BatchAppendReq', () => {
    const request = fc.record({
      id,
      form,
      stream: text,
      revision: uint64,
      events: fc.array(proposal),
    });
    fc.assert(
      fc.property(request, form, fc.boolean(), (content, eventForm, isFinal) => {
        const { events, stream, revision, ...correlation } = content;
        const options = new streams.BatchAppendReq.Options()
          .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
          .setStreamPosition(String(revision));
        const proposed = events.map((event) => {
          const message = new streams.BatchAppendReq.ProposedMessage();
          message.getMetadataMap().set('type', event.type).set('content-type', event.contentType);
          message.setId(wireId(event.id, eventForm));
          message.setData(event.data);
          message.setCustomMetadata(event.metadata);
          return message;
        });
        const message = new streams.BatchAppendReq()
          .setCorrelationId(wireId(correlation.id, correlation.form))
          .setOptions(options)
          .setProposedMessagesList(proposed)
          .setIsFinal(isFinal);
        expect(readBatchAppendRequest(readerOf(message), 0)).toEqual({
          correlation: { bytes: correlation.id, form: correlation.form },
          options: { stream, expected: { kind: 'exact', revision }, timeoutMs: undefined },
          events,
          isFinal,
        });
      }),
    );
  });

  it('decodes ReadReq of $all', () => {
    const filter = fc.record({
      regex: text,
      prefixes: fc.array(text),
      max: fc.nat(),
      multiplier: fc.nat(),
    });
    fc.assert(
      fc.property(filter, position, position, position, (wanted, commit, prepare, count) => {
        const { ReadReq } = streams;
        const at = new ReadReq.Options.Position()
          .setCommitPosition(String(commit))
          .setPreparePosition(String(prepare));
        const expression = new ReadReq.Options.FilterOptions.Expression()
          .setRegex(wanted.regex)
          .setPrefixList(wanted.prefixes);
        const options = new ReadReq.Options()
          .setAll(new ReadReq.Options.AllOptions().setPosition(at))
          .setCount(String(count))
          .setFilter(
            new ReadReq.Options.FilterOptions()
              .setStreamIdentifier(expression)
              .setMax(wanted.max)
              .setCheckpointintervalmultiplier(wanted.multiplier),
          );
        const read = readReadRequest(readerOf(new ReadReq().setOptions(options)));
        expect(read?.all?.from).toEqual({ kind: 'at', at: { commit, prepare } });
        expect(read?.count).toBe(count);
        expect(read?.filter).toMatchObject({
          on: 'stream',
          regex: wanted.regex,
          prefixes: wanted.prefixes,
        });
        expect(read?.filter?.maxSearchWindow).toBe(wanted.max);
      }),
    );
  });
});

describe('the node’s encoder of client messages', () => {
  it('encodes an event from its stored form', () => {
    fc.assert(
      fc.property(record, id, form, (content, eventId, as) => {
        const stored = new Uint8Array(encodeRecord(content));
        const { position: at, revision, type, createdMs } = content;
        const event = {
          position: at,
          streamId: 1,
          revision,
          id: eventId,
          type,
          createdMs,
          record: stored,
        };
        const frame = eventFrame({ event }, as);
        expect(frame.readUInt32BE(1)).toBe(frame.length - FRAME_HEADER_BYTES);
        const response = streams.ReadResp.deserializeBinary(
          frame.subarray(FRAME_HEADER_BYTES),
        ).getEvent();
        const recorded = response?.getEvent();
        expect(response?.getCommitPosition()).toBe(String(at));
        expect(idOf(recorded?.getId())).toBe(uuidToText(eventId));
        expect(nameOf(recorded?.getStreamIdentifier())).toBe(content.stream);
        expect(recorded?.getStreamRevision()).toBe(revisionText(revision));
        expect(recorded?.getCommitPosition()).toBe(String(at));
        expect(Object.fromEntries(recorded?.getMetadataMap().toArray() ?? [])).toEqual({
          type,
          'content-type': content.contentType,
          created: `${createdMs}0000`,
        });
        expect(Buffer.from(recorded?.getData_asU8() ?? [])).toEqual(content.data);
        expect(Buffer.from(recorded?.getCustomMetadata_asU8() ?? [])).toEqual(content.metadata);
        expect(readRecordContent(stored)).toEqual({
          contentType: content.contentType,
          data: content.data,
        });
        expect(readRecordStreamName(stored)).toBe(content.stream);
      }),
    );
  });

  it('encodes BatchAppendResp of a success', () => {
    fc.assert(
      fc.property(id, form, text, fc.nat(), position, (correlation, as, stream, revision, at) => {
        const encoded = encodeBatchSuccess({ bytes: correlation, form: as }, stream, {
          revision,
          position: at,
        });
        const response = streams.BatchAppendResp.deserializeBinary(encoded);
        expect(idOf(response.getCorrelationId())).toBe(uuidToText(correlation));
        expect(nameOf(response.getStreamIdentifier())).toBe(stream);
        expect(response.getSuccess()?.getCurrentRevision()).toBe(String(revision));
        expect(response.getSuccess()?.getPosition()?.getCommitPosition()).toBe(String(at));
      }),
    );
  });
});

/** The largest number is the tombstone's revision. */
function revisionText(revision: number): string {
  return revision === Number.MAX_SAFE_INTEGER ? '9223372036854775807' : String(revision);
}
