import shared from '@eventstore/db-client/generated/shared_pb.js';
import pb from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeReply } from './batch-append/decode.ts';
import { encodeAppend } from './batch-append/encode.ts';
import { decodeAnswer, type ReadAnswer } from './reading/decode.ts';
import { encodeRead, type ReadQuestion } from './reading/encode.ts';
import { toStoredEvent } from './reading/stored-event.ts';
import type { EventMetadata } from './types.ts';

// For arbitrary values, the official client's generated classes and the gateway's codec agree.
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value));
const uuid = fc.uuid();
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const revision = fc.maxSafeNat();
const event = fc.record({
  id: uuid,
  type: text,
  data: fc.dictionary(text, fc.jsonValue(), { maxKeys: 5 }),
  metadata: fc
    .dictionary(text, text, { maxKeys: 5 })
    .map((others) => ({ ...others, actor: 'service:test' }) as unknown as EventMetadata),
});

/** Decodes a message of a generated class with the gateway's codec. */
const decode = (message: { serializeBinary(): Uint8Array }): ReadAnswer =>
  decodeAnswer(Buffer.from(message.serializeBinary()));
const nameOf = (stream: string) =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64'));
const streamOf = (identifier: InstanceType<typeof shared.StreamIdentifier> | undefined) =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

function wireId(id: string, as: 'string' | 'structured') {
  if (as === 'string') return new shared.UUID().setString(id);
  const halves = id.replaceAll('-', '').match(/.{16}/g) ?? [];
  const [most = '0', least = '0'] = halves.map((half) =>
    String(BigInt.asIntN(64, BigInt(`0x${half}`))),
  );
  const structured = new shared.UUID.Structured()
    .setMostSignificantBits(most)
    .setLeastSignificantBits(least);
  return new shared.UUID().setStructured(structured);
}

/** The record that the store makes of a proposed event. */
function recorded(
  proposed: InstanceType<typeof pb.BatchAppendReq.ProposedMessage>,
  location: { stream: string; revision: number; position: number },
) {
  const record = new pb.ReadResp.ReadEvent.RecordedEvent()
    .setId(proposed.getId())
    .setStreamIdentifier(nameOf(location.stream))
    .setStreamRevision(String(location.revision))
    .setCommitPosition(String(location.position))
    .setPreparePosition('733')
    .setData(proposed.getData())
    .setCustomMetadata(proposed.getCustomMetadata());
  for (const [key, value] of proposed.getMetadataMap().toArray())
    record.getMetadataMap().set(key, value);
  record.getMetadataMap().set('created', '17350512001234567');
  return new pb.ReadResp().setEvent(
    new pb.ReadResp.ReadEvent().setEvent(record).setCommitPosition('733'),
  );
}

it('round-trips an append and its events through the official codec', () => {
  const events = fc.array(event, { maxLength: 4 });
  fc.assert(
    fc.property(
      uuid,
      text,
      fc.integer({ min: -1 }),
      events,
      revision,
      (id, stream, at, ...rest) => {
        const [proposed, position] = rest;
        const request = pb.BatchAppendReq.deserializeBinary(
          encodeAppend(id, { stream, expectedRevision: at, events: proposed }),
        );
        expect(request.getCorrelationId()?.getString()).toBe(id);
        expect(request.getIsFinal()).toBe(true);
        expect(streamOf(request.getOptions()?.getStreamIdentifier())).toBe(stream);
        expect(request.getOptions()?.hasNoStream()).toBe(at < 0);
        expect(request.getOptions()?.getStreamPosition()).toBe(String(Math.max(0, at)));
        const read = request
          .getProposedMessagesList()
          .map((each) => decode(recorded(each, { stream, revision: 7, position })));
        expect(read.map((each) => each.kind === 'event' && toStoredEvent(each.event))).toEqual(
          proposed.map((each) => ({
            ...(JSON.parse(JSON.stringify(each)) as object),
            stream,
            revision: 7,
            position: BigInt(position),
            created: new Date(1_735_051_200_123),
          })),
        );
      },
    ),
  );
});

it('encodes reads and subscriptions for the official codec', () => {
  const from = fc.oneof(fc.constantFrom('start', 'end'), revision, uint64);
  const filter = fc.oneof(
    fc.record({ streamPrefixes: fc.array(text, { minLength: 1, maxLength: 4 }) }),
    fc.record({ typeRegex: text }),
  );
  const questions: fc.Arbitrary<ReadQuestion> = fc.record(
    {
      from,
      stream: text,
      direction: fc.constantFrom('forwards', 'backwards'),
      maxCount: revision,
      filter,
    },
    { requiredKeys: ['from'] },
  );
  fc.assert(
    fc.property(questions, (question) => {
      const options = pb.ReadReq.deserializeBinary(encodeRead(question)).getOptions();
      const at = typeof question.from === 'string' ? undefined : String(question.from);
      const location = question.stream === undefined ? options?.getAll() : options?.getStream();
      expect(location?.hasStart()).toBe(question.from === 'start');
      expect(location?.hasEnd()).toBe(question.from === 'end');
      expect(options?.getAll()?.getPosition()?.getCommitPosition()).toBe(
        question.stream === undefined ? at : undefined,
      );
      expect(options?.getStream()?.getRevision()).toBe(
        question.stream === undefined ? undefined : (at ?? '0'),
      );
      expect(options?.hasStream()).toBe(question.stream !== undefined);
      expect(streamOf(options?.getStream()?.getStreamIdentifier())).toBe(question.stream ?? '');
      expect(options?.getReadDirection()).toBe(question.direction === 'backwards' ? 1 : 0);
      expect(options?.hasSubscription()).toBe(question.maxCount === undefined);
      expect(options?.getCount()).toBe(String(question.maxCount ?? 0));
      expect(options?.getResolveLinks()).toBe(false);
      expect(options?.hasNoFilter()).toBe(question.filter === undefined);
      const { filter: wanted } = question;
      const expression =
        wanted && 'typeRegex' in wanted
          ? { eventType: { regex: wanted.typeRegex, prefixList: [] } }
          : { streamIdentifier: { regex: '', prefixList: wanted?.streamPrefixes } };
      expect(options?.getFilter()?.toObject()).toEqual(
        wanted && { ...expression, max: 0, count: {}, checkpointintervalmultiplier: 1 },
      );
      expect(options?.getUuidOption()?.hasString()).toBe(true);
    }),
  );
});

it('decodes a recorded event, with its id in either form', () => {
  const form = fc.constantFrom('string', 'structured');
  fc.assert(
    fc.property(uuid, form, text, text, bytes, bytes, revision, (id, as, ...content) => {
      const [stream, type, data, metadata, position] = content;
      const proposed = new pb.BatchAppendReq.ProposedMessage()
        .setId(wireId(id, as))
        .setData(data)
        .setCustomMetadata(metadata);
      proposed.getMetadataMap().set('type', type).set('content-type', 'application/octet-stream');
      expect(decode(recorded(proposed, { stream, revision: position, position }))).toEqual({
        kind: 'event',
        event: {
          position,
          stream,
          revision: position,
          id,
          type,
          contentType: 'application/octet-stream',
          createdTicks: '17350512001234567',
          data,
          metadata,
        },
      });
    }),
  );
});

it('decodes a checkpoint', () => {
  fc.assert(
    fc.property(revision, revision, (commit, prepare) => {
      const checkpoint = new pb.ReadResp.Checkpoint()
        .setCommitPosition(String(commit))
        .setPreparePosition(String(prepare));
      const answer = decode(new pb.ReadResp().setCheckpoint(checkpoint));
      expect(answer).toEqual({ kind: 'checkpoint', commit, prepare });
    }),
  );
});

it('decodes a reply to an append, with its correlation id in either form', () => {
  const form = fc.constantFrom('string', 'structured');
  fc.assert(
    fc.property(uuid, form, text, revision, uint64, (id, as, stream, at, commit) => {
      const position = new shared.AllStreamPosition()
        .setCommitPosition(String(commit))
        .setPreparePosition(String(commit));
      const success = new pb.BatchAppendResp.Success()
        .setCurrentRevision(String(at))
        .setPosition(position);
      const reply = new pb.BatchAppendResp()
        .setCorrelationId(wireId(id, as))
        .setStreamIdentifier(nameOf(stream))
        .setSuccess(success);
      expect(decodeReply(Buffer.from(reply.serializeBinary()))).toEqual({
        correlationId: id,
        revision: at,
        position: commit,
      });
    }),
  );
});
