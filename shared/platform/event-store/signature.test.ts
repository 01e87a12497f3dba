import fc from 'fast-check';
import { expect, it } from 'vitest';
import pb from '@eventstore/db-client/generated/streams_pb.js';
import { newId } from '#shared/platform/ids.ts';
import { encodeAppend } from './batch-append/encode.ts';
import { parseLogKeys } from './log-keys.ts';
import type { RawEvent } from './reading/raw-event.ts';
import { restoreTime, withTime } from './reading/recorded-before.ts';
import {
  createLogKey,
  isSignedBy,
  readCommonSignature,
  readEventSignature,
  type EventSigner,
} from './signature.ts';
import { newEvent } from './testing/new-event.ts';
import type { NewEvent } from './types.ts';

const seed = Buffer.alloc(32, 3).toString('base64');
const key = createLogKey('processor', seed);
const stream = 'operation-1';

/** An append of two signed events, as the store has them. */
function append(signer: EventSigner = key, first: Partial<NewEvent> = {}) {
  const events = [newEvent({ data: { text: 'Привет' }, ...first }), newEvent({ data: {} })];
  const bytes = encodeAppend(newId(), { stream, expectedRevision: 3, events, signer });
  const messages = pb.BatchAppendReq.deserializeBinary(bytes).getProposedMessagesList();
  return messages.map((message, index) => ({
    stream,
    revision: 4 + index,
    id: message.getId()?.getString() ?? '',
    type: message.getMetadataMap().get('type') ?? '',
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
    position: index,
    contentType: 'application/json',
    createdTicks: '17350512001234567',
  }));
}
type Appended = ReturnType<typeof append>[number];

const holds = (event: Appended, by = key): boolean => {
  const signature = readEventSignature(event.metadata);
  return signature !== undefined && signature.keyId === by.id && isSignedBy(by, signature, event);
};

it('signs each event of an append, at its revision', () => {
  const events = append();
  expect(events.map((event) => holds(event))).toEqual([true, true]);
  for (const { metadata } of events)
    expect(JSON.parse(metadata.toString('utf8'))).toMatchObject({
      signature: expect.stringMatching(/^[0-9a-f]{8}\.[\w-]{22}$/),
    });
});

it('signs an event with its own signer, if it has one, instead of the append’s', () => {
  const other = createLogKey('admin', seed);
  const [own, usual] = append(key, { signer: other });
  expect(own && holds(own, other)).toBe(true);
  expect(usual && holds(usual)).toBe(true);
  expect(own?.data.toString('utf8')).not.toContain(other.id);
});

it('covers the stream, revision, id, type, metadata and data', () => {
  const [event, other] = append();
  if (!event || !other) throw new Error('two events were appended');
  const changes: Partial<Appended>[] = [
    { stream: 'operation-2' },
    { revision: 5 },
    { id: other.id },
    { type: 'Other' },
    { data: other.data },
    { metadata: other.metadata },
  ];
  expect(changes.filter((change) => holds({ ...event, ...change }))).toEqual([]);
});

it('is broken by any other byte of the metadata or the data', () => {
  const part = fc.constantFrom('metadata', 'data');
  fc.assert(
    fc.property(part, fc.nat(), fc.integer({ min: 1, max: 255 }), (name, at, change) => {
      const [event] = append();
      if (!event) throw new Error('an event was appended');
      const bytes = Buffer.from(event[name]);
      const index = at % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ change;
      expect(holds({ ...event, [name]: bytes })).toBe(false);
    }),
  );
});

it('is that of one service, also with the same key', () => {
  const [event] = append();
  const another = createLogKey('webhooks', seed);
  expect(another.id).not.toBe(key.id);
  expect(event && isSignedBy(another, readEventSignature(event.metadata) as never, event)).toBe(
    false,
  );
});

it('is not in other metadata, such as those of a moved event', () => {
  const [event] = append();
  if (!event) throw new Error('an event was appended');
  expect(readEventSignature(withTime(event))?.keyId).toBe(key.id);
  for (const text of ['', '{}', '{"actor":"service:test"}', `${event.metadata.toString()} `])
    expect(readEventSignature(Buffer.from(text))).toBeUndefined();
});

it('comes after one by the key that all services share, if there is one', () => {
  const common = createLogKey('log', seed);
  const holdsInCommon = (event: RawEvent): boolean => {
    const signature = readCommonSignature(event.metadata);
    return signature?.keyId === common.id && isSignedBy(common, signature, event);
  };
  const events = append({ ...key, common: [common, createLogKey('log', seed.replace('A', 'B'))] });
  expect(events.map(holdsInCommon)).toEqual([true, true]);
  expect(events.map((event) => holds(event))).toEqual([true, true]);
  expect(append().map(holdsInCommon)).toEqual([false, false]);
  const [event, other] = events;
  if (!event || !other) throw new Error('two events were appended');
  expect(holdsInCommon({ ...event, data: other.data })).toBe(false);
  expect(holdsInCommon({ ...event, revision: 5 })).toBe(false);
  // Of a move to a store that sets the time itself.
  const moved: RawEvent = { ...event, metadata: withTime(event) };
  restoreTime(moved);
  expect(holdsInCommon(moved)).toBe(true);
});

it('reads pairs of services and keys, and reports another form without the key', () => {
  const keys = parseLogKeys(`processor=${seed},webhooks=${seed.replace('=', '')}`);
  expect(keys.map(({ service }) => service)).toEqual(['processor', 'webhooks']);
  expect(keys[0]?.id).toBe(key.id);
  for (const text of ['', 'processor', seed, `processor=${seed.slice(2)}`, `=${seed}`])
    expect(() => parseLogKeys(text)).toThrow(/^must (?:have|be)(?!.*AwMD)/);
});
