import pb from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { describe, expect, it } from 'vitest';
import { MalformedMessageError } from '#shared/platform/protobuf/reader.ts';
import { decodeAnswer } from './decode.ts';
import { encodeRead, type ReadQuestion } from './encode.ts';

const asOfficialCodec = (question: ReadQuestion) =>
  pb.ReadReq.deserializeBinary(encodeRead(question)).getOptions()?.toObject();

describe('encodeRead, decoded by the official codec', () => {
  it.each([
    ['its start', 'start', { start: {}, end: undefined, revision: '0' }],
    ['its end', 'end', { start: undefined, end: {}, revision: '0' }],
    ['a revision', 300, { start: undefined, end: undefined, revision: '300' }],
  ] as const)('reads a stream from %s', (_what, from, expected) => {
    const options = asOfficialCodec({ stream: 'operation-Ж', from, maxCount: 10_000 });
    expect(options).toMatchObject({
      stream: {
        streamIdentifier: { streamName: Buffer.from('operation-Ж').toString('base64') },
        ...expected,
      },
      all: undefined,
      readDirection: 0,
      resolveLinks: false,
      count: '10000',
      subscription: undefined,
      noFilter: {},
      uuidOption: { string: {} },
    });
  });

  it.each([
    ['its start', 'start', { start: {}, position: undefined }],
    ['its end', 'end', { end: {}, position: undefined }],
    ['a position', 2n ** 60n + 1n, { position: { commitPosition: String(2n ** 60n + 1n) } }],
  ] as const)('reads the log backwards from %s', (_what, from, expected) => {
    const options = asOfficialCodec({ from, direction: 'backwards', maxCount: 1 });
    expect(options).toMatchObject({
      all: expected,
      stream: undefined,
      readDirection: 1,
      count: '1',
    });
  });

  it.each([
    [
      { streamPrefixes: ['operation-', 'ledger-'] },
      { streamIdentifier: { regex: '', prefixList: ['operation-', 'ledger-'] } },
    ],
    [{ typeRegex: '^(?!Noise$)' }, { eventType: { regex: '^(?!Noise$)', prefixList: [] } }],
  ])('subscribes with the filter %j', (filter, expected) => {
    expect(asOfficialCodec({ from: 'start', filter })).toMatchObject({
      subscription: {},
      filter: { ...expected, count: {}, checkpointintervalmultiplier: 1 },
      noFilter: undefined,
    });
  });

  it('subscribes to all events', () => {
    expect(asOfficialCodec({ from: 5 })).toMatchObject({
      subscription: {},
      noFilter: {},
      filter: undefined,
    });
  });
});

type Recorded = InstanceType<typeof pb.ReadResp.ReadEvent.RecordedEvent>;

function eventAnswer(
  id: InstanceType<typeof shared.UUID>,
  change: (event: Recorded) => void = () => undefined,
) {
  const event = new pb.ReadResp.ReadEvent.RecordedEvent();
  event.setId(id);
  const stream = new shared.StreamIdentifier();
  stream.setStreamName(Buffer.from('operation-Ж').toString('base64'));
  event.setStreamIdentifier(stream);
  event.setStreamRevision('7');
  event.setPreparePosition('733');
  event.setCommitPosition(String(2 ** 52 + 1));
  event.getMetadataMap().set('type', 'Happened').set('content-type', 'application/json');
  event.getMetadataMap().set('created', '17350512001234567');
  event.setData(Buffer.from('{"text":"Привет 🙂"}'));
  event.setCustomMetadata(Buffer.from('{"actor":"x"}'));
  change(event);
  const read = new pb.ReadResp.ReadEvent();
  read.setEvent(event);
  read.setCommitPosition('733');
  const answer = new pb.ReadResp();
  answer.setEvent(read);
  return Buffer.from(answer.serializeBinary());
}

const textId = () => {
  const id = new shared.UUID();
  id.setString('f1111111-2222-4333-8444-555555555555');
  return id;
};

describe('decodeAnswer, encoded by the official codec', () => {
  it('decodes an event', () => {
    const answer = decodeAnswer(eventAnswer(textId()));
    expect(answer).toEqual({
      kind: 'event',
      event: {
        position: 2 ** 52 + 1,
        stream: 'operation-Ж',
        revision: 7,
        id: 'f1111111-2222-4333-8444-555555555555',
        type: 'Happened',
        contentType: 'application/json',
        createdTicks: '17350512001234567',
        data: Buffer.from('{"text":"Привет 🙂"}'),
        metadata: Buffer.from('{"actor":"x"}'),
      },
    });
  });

  it('decodes an event without metadata, at revision 0', () => {
    const bytes = eventAnswer(textId(), (event) => {
      event.setStreamRevision('0');
      event.setCustomMetadata('');
    });
    expect(decodeAnswer(bytes)).toMatchObject({
      event: { revision: 0, metadata: Buffer.alloc(0) },
    });
  });

  it('decodes an id in two halves', () => {
    const halves = new shared.UUID.Structured();
    halves.setMostSignificantBits(String(BigInt.asIntN(64, 0xf1111111_2222_4333n)));
    halves.setLeastSignificantBits(String(BigInt.asIntN(64, 0x8444_555555555555n)));
    const id = new shared.UUID();
    id.setStructured(halves);
    expect(decodeAnswer(eventAnswer(id))).toMatchObject({
      event: { id: 'f1111111-2222-4333-8444-555555555555', revision: 7 },
    });
  });

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
    const event = eventAnswer(textId());
    const bytes = Buffer.concat([Buffer.from(fields.flat()), event, Buffer.from(fields.flat())]);
    expect(pb.ReadResp.deserializeBinary(bytes).getEvent()?.getCommitPosition()).toBe('733');
    expect(decodeAnswer(bytes)).toEqual(decodeAnswer(event));
  });

  it('rejects truncated and malformed bytes', () => {
    const whole = eventAnswer(textId());
    for (let length = 1; length < whole.length; length += 1)
      expect(() => decodeAnswer(whole.subarray(0, length))).toThrow(MalformedMessageError);
    expect(() => decodeAnswer(Buffer.from([0x0b]))).toThrow(MalformedMessageError);
    expect(() => decodeAnswer(Buffer.alloc(20, 0xff))).toThrow(MalformedMessageError);
  });
});
