import pb from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { describe, expect, it } from 'vitest';
import { MalformedMessageError } from '#shared/platform/protobuf/reader.ts';
import { decodeAnswer } from './decode.ts';

const eventAnswer = () => {
  const event = new pb.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString('f1111111-2222-4333-8444-555555555555'))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(btoa('operation-1')))
    .setStreamRevision('7')
    .setCommitPosition(String(2 ** 52 + 1))
    .setData(Buffer.from('{"text":"Привет 🙂"}'))
    .setCustomMetadata(Buffer.from('{"actor":"x"}'));
  event.getMetadataMap().set('type', 'Happened').set('content-type', 'application/json');
  event.getMetadataMap().set('created', '17350512001234567');
  const read = new pb.ReadResp.ReadEvent().setEvent(event).setCommitPosition('733');
  return Buffer.from(new pb.ReadResp().setEvent(read).serializeBinary());
};

describe('decodeAnswer, encoded by the official codec', () => {
  it('decodes checkpoint, caught_up and no_stream, and all other messages as other', () => {
    const { ReadResp } = pb;
    const checkpoint = new ReadResp.Checkpoint().setCommitPosition('900').setPreparePosition('899');
    const answers = [
      new ReadResp().setCheckpoint(checkpoint),
      new ReadResp().setCaughtUp(new ReadResp.CaughtUp()),
      new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound()),
      new ReadResp().setConfirmation(
        new ReadResp.SubscriptionConfirmation().setSubscriptionId('s'),
      ),
      new ReadResp().setFirstStreamPosition('7'),
      new ReadResp().setLastStreamPosition('900'),
      new ReadResp().setLastAllStreamPosition(new shared.AllStreamPosition()),
      new ReadResp().setFellBehind(new ReadResp.FellBehind()),
    ];
    const other = { kind: 'other' };
    expect(answers.map((each) => decodeAnswer(Buffer.from(each.serializeBinary())))).toEqual([
      { kind: 'checkpoint', commit: 900, prepare: 899 },
      { kind: 'caught_up' },
      { kind: 'no_stream' },
      other,
      other,
      other,
      other,
      other,
    ]);
  });

  it('skips unknown fields of a newer store', () => {
    const fields = [
      [0x78, 0x80, 1],
      [0x79, 1, 2, 3, 4, 5, 6, 7, 8],
      [0x7a, 2, 0x08, 1],
      [0x7d, 1, 2, 3, 4],
    ];
    const event = eventAnswer();
    const bytes = Buffer.concat([Buffer.from(fields.flat()), event, Buffer.from(fields.flat())]);
    expect(pb.ReadResp.deserializeBinary(bytes).getEvent()?.getCommitPosition()).toBe('733');
    expect(decodeAnswer(bytes)).toEqual(decodeAnswer(event));
  });

  it('rejects truncated and malformed bytes', () => {
    const whole = eventAnswer();
    for (let length = 1; length < whole.length; length += 1)
      expect(() => decodeAnswer(whole.subarray(0, length))).toThrow(MalformedMessageError);
    expect(() => decodeAnswer(Buffer.from([0x0b]))).toThrow(MalformedMessageError);
    expect(() => decodeAnswer(Buffer.alloc(20, 0xff))).toThrow(MalformedMessageError);
  });
});
