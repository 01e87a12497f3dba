import { createRequire } from 'node:module';
import type * as Shared from '@eventstore/db-client/generated/shared_pb.js';
import type * as StatusModule from '@eventstore/db-client/generated/status_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from 'vitest';
import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import type { StoredEvent } from '../storage/stored-event.ts';
import { TOMBSTONE_REVISION } from '../storage/stored-event.ts';
import { faultOf, readAppendRequest, readDeleteRequest } from './append-messages.ts';
import { readBatchAppendRequest } from './batch-append-request.ts';
import { FRAME_HEADER_BYTES } from './framing.ts';
import { readReadRequest } from './read-request.ts';
import {
  caughtUpFrame,
  checkpointFrame,
  confirmationFrame,
  eventFrame,
  firstStreamPositionFrame,
  lastStreamPositionFrame,
  streamNotFoundFrame,
} from './read-responses.ts';
import { encodeRecord, readRecord, streamNameOf } from './recorded-event.ts';
import { uuidFromText } from './uuid.ts';
import {
  encodeAppendSuccess,
  encodeAppendWrongRevision,
  encodeBatchFailure,
  encodeBatchSuccess,
  encodeDeleted,
} from './write-responses.ts';

// Tests the hand-written codec against the official client's generated classes, in both directions.
const require = createRequire(import.meta.url);
const streams = require('@eventstore/db-client/generated/streams_pb.js') as typeof Streams;
const shared = require('@eventstore/db-client/generated/shared_pb.js') as typeof Shared;
const rpc = require('@eventstore/db-client/generated/status_pb.js') as typeof StatusModule;

const ID = '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b';
const ID_BYTES = uuidFromText(ID) ?? Buffer.alloc(0);
const STREAM = 'order-größe-1';
const DATA = Buffer.from('{"a":1}');
const METADATA = Buffer.from('{"m":2}');
const empty = new shared.Empty();

const readerOf = (message: { serializeBinary: () => Uint8Array }): ProtoReader =>
  new ProtoReader(Buffer.from(message.serializeBinary()));
const contentOf = (frame: Buffer): Buffer => frame.subarray(FRAME_HEADER_BYTES);

function identifier(): Shared.StreamIdentifier {
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(STREAM).toString('base64'));
  return name;
}

function uuid(): Shared.UUID {
  const id = new shared.UUID();
  id.setString(ID);
  return id;
}

function structuredUuid(): Shared.UUID {
  const id = new shared.UUID();
  const halves = new shared.UUID.Structured();
  halves.setMostSignificantBits(String(ID_BYTES.readBigInt64BE(0)));
  halves.setLeastSignificantBits(String(ID_BYTES.readBigInt64BE(8)));
  id.setStructured(halves);
  return id;
}

function fill<T extends Streams.BatchAppendReq.ProposedMessage | Streams.AppendReq.ProposedMessage>(
  message: T,
): T {
  message.setId(uuid());
  message
    .getMetadataMap()
    .set('type', 'T')
    .set('content-type', 'application/json')
    .set('created', 'dropped');
  message.setData(DATA);
  message.setCustomMetadata(METADATA);
  return message;
}

const PROPOSED = {
  id: ID_BYTES,
  type: 'T',
  contentType: 'application/json',
  data: DATA,
  metadata: METADATA,
};

describe('the decoder of requests', () => {
  it.each([
    ['any', (options: Streams.BatchAppendReq.Options) => options.setAny(empty), { kind: 'any' }],
    [
      'no_stream',
      (options: Streams.BatchAppendReq.Options) => options.setNoStream(empty),
      { kind: 'no_stream' },
    ],
    [
      'exists',
      (options: Streams.BatchAppendReq.Options) => options.setStreamExists(empty),
      { kind: 'stream_exists' },
    ],
    [
      '0',
      (options: Streams.BatchAppendReq.Options) => options.setStreamPosition('0'),
      { kind: 'exact', revision: 0n },
    ],
    [
      '2^64 - 1',
      (options: Streams.BatchAppendReq.Options) =>
        options.setStreamPosition('18446744073709551615'),
      { kind: 'exact', revision: 18_446_744_073_709_551_615n },
    ],
  ] as const)('decodes BatchAppendReq expecting %s', (_, expect_, expected) => {
    const request = new streams.BatchAppendReq();
    const options = new streams.BatchAppendReq.Options();
    options.setStreamIdentifier(identifier());
    expect_(options);
    request.setCorrelationId(structuredUuid());
    request.setOptions(options);
    request.addProposedMessages(fill(new streams.BatchAppendReq.ProposedMessage()));
    request.setIsFinal(true);
    expect(readBatchAppendRequest(readerOf(request), 0)).toEqual({
      correlation: { bytes: ID_BYTES, form: 'structured' },
      options: { stream: STREAM, expected, timeoutMs: undefined },
      events: [PROPOSED],
      isFinal: true,
    });
  });

  it('decodes BatchAppendReq with either deadline', () => {
    const options = (field: number, seconds: number): Buffer =>
      Buffer.from([0x12, 7, field, 5, 0x08, seconds, 0x10, 0x80, 0x01]);
    const timeoutMs = (bytes: Buffer): number | undefined =>
      readBatchAppendRequest(new ProtoReader(bytes), 8000).options?.timeoutMs;
    expect(timeoutMs(options(0x32, 10))).toBeCloseTo(2000, 3);
    expect(timeoutMs(options(0x3a, 10))).toBeCloseTo(10_000, 3);
  });

  it('decodes AppendReq', () => {
    const options = new streams.AppendReq.Options();
    options.setStreamIdentifier(identifier());
    options.setRevision('7');
    const header = new streams.AppendReq();
    header.setOptions(options);
    const target = { stream: STREAM, expected: { kind: 'exact', revision: 7n } };
    expect(readAppendRequest(readerOf(header))).toEqual({ kind: 'options', target });
    const message = new streams.AppendReq();
    message.setProposedMessage(fill(new streams.AppendReq.ProposedMessage()));
    expect(readAppendRequest(readerOf(message))).toEqual({ kind: 'event', event: PROPOSED });
  });

  it('reports the fault of an event without a required field', () => {
    const bare = new streams.AppendReq();
    bare.setProposedMessage(new streams.AppendReq.ProposedMessage());
    const read = readAppendRequest(readerOf(bare));
    expect(read.kind === 'event' && faultOf(read.event)).toContain('not present');
    expect(faultOf({ ...PROPOSED, id: Buffer.alloc(16) })).toContain('eventId');
    expect(faultOf({ ...PROPOSED, type: '' })).toContain('eventType');
    expect(faultOf(PROPOSED)).toBeUndefined();
  });

  it('decodes DeleteReq and TombstoneReq', () => {
    const request = new streams.DeleteReq();
    const options = new streams.DeleteReq.Options();
    options.setStreamIdentifier(identifier());
    options.setStreamExists(empty);
    request.setOptions(options);
    expect(readDeleteRequest(readerOf(request))).toEqual({
      stream: STREAM,
      expected: { kind: 'stream_exists' },
    });
    expect(readDeleteRequest(readerOf(new streams.TombstoneReq()))).toBeUndefined();
  });

  it('decodes ReadReq of a stream', () => {
    const options = new streams.ReadReq.Options();
    const stream = new streams.ReadReq.Options.StreamOptions();
    stream.setStreamIdentifier(identifier());
    stream.setRevision('5');
    options.setStream(stream);
    options.setReadDirection(streams.ReadReq.Options.ReadDirection.BACKWARDS);
    options.setResolveLinks(true);
    options.setCount('9007199254740991');
    options.setNoFilter(empty);
    const form = new streams.ReadReq.Options.UUIDOption();
    form.setStructured(empty);
    options.setUuidOption(form);
    const control = new streams.ReadReq.Options.ControlOption();
    control.setCompatibility(1);
    options.setControlOption(control);
    const request = new streams.ReadReq();
    request.setOptions(options);
    expect(readReadRequest(readerOf(request))).toEqual({
      stream: { name: STREAM, from: { kind: 'at', at: 5 } },
      all: undefined,
      backwards: true,
      resolveLinks: true,
      count: Number.MAX_SAFE_INTEGER,
      subscription: false,
      filter: undefined,
      noFilter: true,
      uuidForm: 'structured',
      compatibility: 1,
    });
  });

  it('decodes ReadReq of a filtered subscription to $all', () => {
    const options = new streams.ReadReq.Options();
    const all = new streams.ReadReq.Options.AllOptions();
    const position = new streams.ReadReq.Options.Position();
    position.setCommitPosition('700');
    position.setPreparePosition('0');
    all.setPosition(position);
    options.setAll(all);
    options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
    const filter = new streams.ReadReq.Options.FilterOptions();
    const expression = new streams.ReadReq.Options.FilterOptions.Expression();
    expression.setPrefixList(['a', 'b']);
    filter.setEventType(expression);
    filter.setMax(16);
    filter.setCheckpointintervalmultiplier(3);
    options.setFilter(filter);
    const request = new streams.ReadReq();
    request.setOptions(options);
    const read = readReadRequest(readerOf(request));
    expect(read).toMatchObject({
      subscription: true,
      count: undefined,
      noFilter: false,
      uuidForm: undefined,
    });
    expect(read?.all).toEqual({ from: { kind: 'at', at: { commit: 700, prepare: 0 } } });
    expect(read?.filter).toEqual({
      on: 'type',
      regex: '',
      prefixes: ['a', 'b'],
      maxSearchWindow: 16,
      checkpointIntervalMultiplier: 3,
    });
  });
});

function storedEvent(revision: number, position: number): StoredEvent {
  const content = {
    revision,
    position,
    type: 'T',
    contentType: 'application/json',
    createdMs: 1_795_217_586_310,
  };
  const record = encodeRecord({
    ...content,
    stream: STREAM,
    metadata: METADATA,
    data: DATA,
  });
  return {
    position,
    streamId: 1,
    revision,
    id: ID_BYTES,
    type: 'T',
    createdMs: content.createdMs,
    record,
  };
}

describe('the encoder of read responses', () => {
  it.each([
    ['string', 0, '0'],
    ['structured', 7, '7'],
    ['string', TOMBSTONE_REVISION, '9223372036854775807'],
  ] as const)('encodes an event with a %s id at revision %i', (form, revision, text) => {
    const frame = eventFrame({ event: storedEvent(revision, 5_000_000_000) }, form);
    expect(frame.readUInt32BE(1)).toBe(frame.length - FRAME_HEADER_BYTES);
    const event = streams.ReadResp.deserializeBinary(contentOf(frame)).getEvent();
    const recorded = event?.getEvent();
    expect(event?.getCommitPosition()).toBe('5000000000');
    expect(event?.hasLink()).toBe(false);
    expect(recorded?.getId()?.toObject()).toEqual(
      (form === 'string' ? uuid() : structuredUuid()).toObject(),
    );
    expect(
      Buffer.from(recorded?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
    ).toBe(STREAM);
    expect(recorded?.getStreamRevision()).toBe(text);
    expect(recorded?.getCommitPosition()).toBe('5000000000');
    expect(recorded?.getPreparePosition()).toBe('5000000000');
    expect(Object.fromEntries(recorded?.getMetadataMap().toArray() ?? [])).toEqual({
      type: 'T',
      'content-type': 'application/json',
      created: '17952175863100000',
    });
    expect(recorded?.getCustomMetadata_asU8()).toEqual(new Uint8Array(METADATA));
    expect(recorded?.getData_asU8()).toEqual(new Uint8Array(DATA));
  });

  it('encodes a resolved link and a dangling one', () => {
    const [target, link] = [storedEvent(1, 100), storedEvent(2, 900)];
    const resolved = streams.ReadResp.deserializeBinary(
      contentOf(eventFrame({ event: target, link }, 'string')),
    );
    expect(resolved.getEvent()?.getEvent()?.getCommitPosition()).toBe('100');
    expect(resolved.getEvent()?.getLink()?.getCommitPosition()).toBe('900');
    expect(resolved.getEvent()?.getCommitPosition()).toBe('900');
    const broken = streams.ReadResp.deserializeBinary(
      contentOf(eventFrame({ event: undefined, link }, 'string')),
    );
    expect(broken.getEvent()?.hasEvent()).toBe(false);
    expect(broken.getEvent()?.hasLink()).toBe(true);
  });

  it('encodes responses that are not events', () => {
    const read = (frame: Buffer) => streams.ReadResp.deserializeBinary(contentOf(frame));
    expect(read(confirmationFrame(ID)).getConfirmation()?.getSubscriptionId()).toBe(ID);
    expect(
      read(checkpointFrame({ commit: 8, prepare: 0 }))
        .getCheckpoint()
        ?.toObject(),
    ).toEqual({
      commitPosition: '8',
      preparePosition: '0',
    });
    expect(read(caughtUpFrame()).hasCaughtUp()).toBe(true);
    expect(read(firstStreamPositionFrame(0)).hasFirstStreamPosition()).toBe(true);
    expect(read(lastStreamPositionFrame(3)).getLastStreamPosition()).toBe('3');
    const name = read(streamNotFoundFrame(STREAM))
      .getStreamNotFound()
      ?.getStreamIdentifier()
      ?.getStreamName_asU8();
    expect(Buffer.from(name ?? []).toString()).toBe(STREAM);
  });

  it('stores stream, content type and data in a record', () => {
    const { record } = storedEvent(0, 1);
    expect(streamNameOf(record)).toBe(STREAM);
    expect(readRecord(record)).toEqual({ contentType: 'application/json', data: DATA });
  });
});

describe('the encoder of write responses', () => {
  it('encodes AppendResp of a success, of no events, and of a wrong version', () => {
    const success = streams.AppendResp.deserializeBinary(
      encodeAppendSuccess({ revision: 0, position: 9 }),
    );
    expect(success.getSuccess()?.hasCurrentRevision()).toBe(true);
    expect(success.getSuccess()?.getPosition()?.toObject()).toEqual({
      commitPosition: '9',
      preparePosition: '9',
    });
    const nothing = streams.AppendResp.deserializeBinary(
      encodeAppendSuccess({ revision: -1, position: 9 }),
    );
    expect(nothing.getSuccess()?.hasNoStream()).toBe(true);
    const failure = { expected: { kind: 'no_stream' }, actual: 4 } as const;
    const wrong = streams.AppendResp.deserializeBinary(
      encodeAppendWrongRevision(failure),
    ).getWrongExpectedVersion();
    expect(wrong?.getCurrentRevision()).toBe('4');
    expect(wrong?.getCurrentRevision2060()).toBe(4);
    expect(wrong?.hasExpectedNoStream()).toBe(true);
    expect(wrong?.hasExpectedRevision2060()).toBe(true);
  });

  it('encodes DeleteResp', () => {
    const response = streams.DeleteResp.deserializeBinary(encodeDeleted(300));
    expect(response.getPosition()?.toObject()).toEqual({
      commitPosition: '300',
      preparePosition: '300',
    });
  });

  it('encodes BatchAppendResp of a success, with the id in the form of the request', () => {
    const appended = { revision: 3, position: 70 };
    const bytes = encodeBatchSuccess({ bytes: ID_BYTES, form: 'structured' }, STREAM, appended);
    const response = streams.BatchAppendResp.deserializeBinary(bytes);
    expect(response.getCorrelationId()?.toObject()).toEqual(structuredUuid().toObject());
    expect(response.getSuccess()?.getCurrentRevision()).toBe('3');
    expect(response.getSuccess()?.getPosition()?.getCommitPosition()).toBe('70');
    expect(response.getExpectedStreamPositionCase()).toBe(0);
  });

  it.each([
    [{ kind: 'exact', revision: 7n }, 1, '08011807'],
    [{ kind: 'no_stream' }, 1, '08013200'],
    [{ kind: 'stream_exists' }, -1, '12002a00'],
    [{ kind: 'any' }, 1, '08012200'],
  ] as const)(
    'encodes a wrong expected version (%o) as google.rpc.Status',
    (expected, actual, details) => {
      const failure = { kind: 'wrong_expected_version', expected, actual } as const;
      const status = statusOf(failure);
      expect(status.getCode()).toBe(6);
      expect(status.getMessage()).toBe('WrongExpectedVersion');
      expect(status.getDetails()?.getTypeUrl()).toBe(
        'type.googleapis.com/event_store.client.WrongExpectedVersion',
      );
      expect(Buffer.from(status.getDetails()?.getValue_asU8() ?? []).toString('hex')).toBe(details);
    },
  );

  it.each([
    [{ kind: 'stream_deleted', stream: STREAM }, 5, 'event_store.client.StreamDeleted'],
    [
      { kind: 'maximum_append_size_exceeded', maximumBytes: 1_048_576 },
      3,
      'event_store.client.MaximumAppendSizeExceeded',
    ],
    [{ kind: 'timeout' }, 4, 'event_store.client.Timeout'],
    [{ kind: 'bad_request', message: 'x' }, 3, 'event_store.client.BadRequest'],
    [{ kind: 'internal', message: 'x' }, 13, 'google.protobuf.Empty'],
  ] as const)('encodes %o as google.rpc.Status', (failure, code, name) => {
    const status = statusOf(failure);
    expect(status.getCode()).toBe(code);
    expect(status.getDetails()?.getTypeUrl()).toBe(`type.googleapis.com/${name}`);
  });
});

function statusOf(
  failure: Parameters<typeof encodeBatchFailure>[0]['failure'],
): StatusModule.Status {
  const bytes = encodeBatchFailure({
    correlation: { bytes: ID_BYTES, form: 'string' },
    stream: STREAM,
    failure,
  });
  const error = streams.BatchAppendResp.deserializeBinary(bytes).getError();
  return rpc.Status.deserializeBinary(error?.serializeBinary() ?? new Uint8Array());
}
