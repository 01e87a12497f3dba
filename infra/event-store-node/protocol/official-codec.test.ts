import { createRequire } from 'node:module';
import type * as StatusModule from '@eventstore/db-client/generated/status_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from 'vitest';
import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { findEventFault, readAppendRequest, readDeleteRequest } from './append-messages.ts';
import { readBatchAppendRequest } from './batch-append-request.ts';
import { encodeBatchFailure } from './write-responses.ts';

// Cases that neither the conformance tests nor codec-properties.test.ts cover.
const require = createRequire(import.meta.url);
const streams = require('@eventstore/db-client/generated/streams_pb.js') as typeof Streams;
const rpc = require('@eventstore/db-client/generated/status_pb.js') as typeof StatusModule;

const readerOf = (message: { serializeBinary: () => Uint8Array }): ProtoReader =>
  new ProtoReader(Buffer.from(message.serializeBinary()));

describe('the decoder of requests', () => {
  it('decodes BatchAppendReq with either deadline', () => {
    const options = (field: number, seconds: number): Buffer =>
      Buffer.from([0x12, 7, field, 5, 0x08, seconds, 0x10, 0x80, 0x01]);
    const timeoutMs = (bytes: Buffer): number | undefined =>
      readBatchAppendRequest(new ProtoReader(bytes), 8000).options?.timeoutMs;
    expect(timeoutMs(options(0x32, 10))).toBeCloseTo(2000, 3);
    expect(timeoutMs(options(0x3a, 10))).toBeCloseTo(10_000, 3);
  });

  it('reports the fault of an event without a required field', () => {
    const bare = new streams.AppendReq();
    bare.setProposedMessage(new streams.AppendReq.ProposedMessage());
    const read = readAppendRequest(readerOf(bare));
    expect(read.kind === 'event' && findEventFault(read.event)).toContain('not present');
    const nothing = Buffer.alloc(0);
    const sound = { id: Buffer.alloc(16, 1), type: 'T', contentType: 'application/json' };
    const event = { ...sound, data: nothing, metadata: nothing };
    expect(findEventFault({ ...event, id: Buffer.alloc(16) })).toContain('eventId');
    expect(findEventFault({ ...event, type: '' })).toContain('eventType');
    expect(findEventFault(event)).toBeUndefined();
  });

  it('returns undefined for a deletion without options', () => {
    expect(readDeleteRequest(readerOf(new streams.TombstoneReq()))).toBeUndefined();
  });
});

it.each([
  [
    { kind: 'wrong_expected_version', expected: { kind: 'any' }, actual: 1 },
    6,
    'event_store.client.WrongExpectedVersion',
    '08012200',
  ],
  [{ kind: 'failed', message: 'x' }, 13, 'google.protobuf.Empty', ''],
] as const)('encodes %o as google.rpc.Status', (failure, code, name, details) => {
  const correlation = { bytes: Buffer.alloc(16), form: 'string' } as const;
  const bytes = encodeBatchFailure({ correlation, stream: 'a', failure });
  const error = streams.BatchAppendResp.deserializeBinary(bytes).getError();
  const status = rpc.Status.deserializeBinary(error?.serializeBinary() ?? new Uint8Array());
  expect(status.getCode()).toBe(code);
  expect(status.getDetails()?.getTypeUrl()).toBe(`type.googleapis.com/${name}`);
  expect(Buffer.from(status.getDetails()?.getValue_asU8() ?? []).toString('hex')).toBe(details);
});
