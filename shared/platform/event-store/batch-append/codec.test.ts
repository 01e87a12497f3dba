import { WrongExpectedVersionError } from '@eventstore/db-client';
import pb from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import { Any } from 'google-protobuf/google/protobuf/any_pb.js';
import { expect, it } from 'vitest';
import { newEvent } from '../testing/new-event.ts';
import { newId } from '#shared/platform/ids.ts';
import { decodeReply } from './decode.ts';
import { encodeAppend } from './encode.ts';

it.each([
  ['a new stream', -1],
  ['revision 0', 0],
  ['a revision of two bytes', 300],
  ['a revision above 2^32', 2 ** 40 + 5],
])('encodes an append at %s as the official codec does', (_what, expectedRevision) => {
  const correlationId = newId();
  const stream = 'operation-Ж';
  const events = [{ text: 'Привет 🙂' }, {}, { text: 'x'.repeat(70_000) }].map((data) =>
    newEvent({ data }),
  );
  const bytes = encodeAppend(correlationId, { stream, expectedRevision, events });
  const request = pb.BatchAppendReq.deserializeBinary(bytes);
  expect(request.getCorrelationId()?.getString()).toBe(correlationId);
  expect(request.getIsFinal()).toBe(true);
  const options = request.getOptions();
  expect(Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(
    stream,
  );
  expect(options?.hasNoStream()).toBe(expectedRevision < 0);
  expect(Number(options?.getStreamPosition())).toBe(Math.max(0, expectedRevision));
  expect(
    request.getProposedMessagesList().map((message) => ({
      id: message.getId()?.getString(),
      type: message.getMetadataMap().get('type'),
      contentType: message.getMetadataMap().get('content-type'),
      data: JSON.parse(Buffer.from(message.getData_asU8()).toString('utf8')),
      metadata: JSON.parse(Buffer.from(message.getCustomMetadata_asU8()).toString('utf8')),
    })),
  ).toEqual(events.map((each) => ({ ...each, contentType: 'application/json' })));
  // The official codec writes as many bytes.
  expect(Buffer.from(request.serializeBinary()).length).toBe(bytes.length);
});

function reply(change: (reply: InstanceType<typeof pb.BatchAppendResp>) => void): Buffer {
  const message = new pb.BatchAppendResp();
  const id = new shared.UUID();
  id.setString('11111111-2222-4333-8444-555555555555');
  message.setCorrelationId(id);
  const stream = new shared.StreamIdentifier();
  stream.setStreamName(Buffer.from('s').toString('base64'));
  message.setStreamIdentifier(stream);
  change(message);
  return Buffer.from(message.serializeBinary());
}

it.each([
  ['0', '0', 0, 0n],
  ['7', '733', 7, 733n],
  ['1099511627781', '18446744073709551615', 1_099_511_627_781, 18_446_744_073_709_551_615n],
])('decodes a success at revision %s and position %s', (revision, commit, ...expected) => {
  const bytes = reply((message) => {
    const success = new pb.BatchAppendResp.Success();
    success.setCurrentRevision(revision);
    const position = new shared.AllStreamPosition();
    position.setCommitPosition(commit);
    position.setPreparePosition(commit);
    success.setPosition(position);
    message.setSuccess(success);
  });
  expect(decodeReply(bytes)).toEqual({
    correlationId: '11111111-2222-4333-8444-555555555555',
    revision: expected[0],
    position: expected[1],
  });
});

it('decodes a wrong expected version as the client’s error, with the actual revision', () => {
  const bytes = reply((message) => {
    const detail = new shared.WrongExpectedVersion();
    detail.setCurrentStreamRevision('4');
    const any = new Any();
    any.pack(detail.serializeBinary(), 'event_store.client.WrongExpectedVersion');
    const error = new status.Status();
    error.setDetails(any);
    message.setError(error);
  });
  const decoded = decodeReply(bytes);
  expect('error' in decoded && decoded.error).toBeInstanceOf(WrongExpectedVersionError);
  expect('error' in decoded && decoded.error).toMatchObject({ streamName: 's', actualVersion: 4n });
});

it('decodes a correlation id in two halves', () => {
  const bytes = reply((message) => {
    const halves = new shared.UUID.Structured();
    halves.setMostSignificantBits(String(BigInt.asIntN(64, 0xf1111111_2222_4333n)));
    halves.setLeastSignificantBits(String(BigInt.asIntN(64, 0x8444_555555555555n)));
    const id = new shared.UUID();
    id.setStructured(halves);
    message.setCorrelationId(id);
    message.setSuccess(new pb.BatchAppendResp.Success());
  });
  expect(decodeReply(bytes)).toMatchObject({
    correlationId: 'f1111111-2222-4333-8444-555555555555',
  });
});

it.each([[[0x0a, 5, 1]], [[0x0d, 1, 2, 3, 4]], [[0x1a, 0xff, 0xff, 0xff, 0xff, 0xff]]])(
  'rejects bytes that are not a reply: %j',
  (bytes) => {
    expect(() => decodeReply(Buffer.from(bytes))).toThrow(/./);
  },
);

it('rejects a reply that is neither a success nor an error', () => {
  expect(() => decodeReply(reply(() => undefined))).toThrow(/no reply to an append/);
});
