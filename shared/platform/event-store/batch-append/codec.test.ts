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

it('encodes an append in as many bytes as the official codec', () => {
  for (const expectedRevision of [-1, 0, 300, 2 ** 40 + 5]) {
    const events = [{ text: 'Привет 🙂' }, {}, { text: 'x'.repeat(70_000) }].map((data) =>
      newEvent({ data }),
    );
    const bytes = encodeAppend(newId(), { stream: 'operation-Ж', expectedRevision, events });
    const request = pb.BatchAppendReq.deserializeBinary(bytes);
    expect(Buffer.from(request.serializeBinary()).length).toBe(bytes.length);
    expect(
      request.getProposedMessagesList().map((message) => ({
        contentType: message.getMetadataMap().get('content-type'),
        data: JSON.parse(Buffer.from(message.getData_asU8()).toString('utf8')),
      })),
    ).toEqual(events.map(({ data }) => ({ contentType: 'application/json', data })));
  }
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

it.each([[[0x0a, 5, 1]], [[0x0d, 1, 2, 3, 4]], [[0x1a, 0xff, 0xff, 0xff, 0xff, 0xff]]])(
  'rejects bytes that are not a reply: %j',
  (bytes) => {
    expect(() => decodeReply(Buffer.from(bytes))).toThrow(/./);
  },
);

it('rejects a reply that is neither a success nor an error', () => {
  expect(() => decodeReply(reply(() => undefined))).toThrow(/no reply to an append/);
});
