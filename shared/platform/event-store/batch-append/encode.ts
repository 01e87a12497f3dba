import {
  bytesField,
  emptyField,
  encodeMessage,
  fieldLength,
  stringField,
  varintField,
  writeBytes,
  writeField,
  writeTagged,
} from '#shared/platform/protobuf/writer.ts';
import type { RawEvent } from '../reading/raw-event.ts';
import { withTime } from '../reading/recorded-before.ts';
import { signMetadata } from '../signature.ts';
import type { AppendRequest, NewEvent } from '../types.ts';

/** The same in every event of the gateway. */
const contentType = mapEntry('content-type', 'application/json');
const noStream = emptyField(3);
const anyRevision = emptyField(4);
const isFinal = varintField(4, 1);
const uuidLength = 36;

/** `more`: the properties besides the type. */
type EncodedEvent = {
  id: string;
  type: Buffer;
  more: Buffer;
  metadata: Buffer;
  data: Buffer;
  length: number;
};

/** An append of events as another log has them. */
export type CopyRequest = {
  stream: string;
  expectedRevision: number | 'any';
  events: readonly RawEvent[];
  /** The target takes the times and positions of the other log. */
  asRecorded: boolean;
};

/**
 * One append as a BatchAppendReq, in one pass into one buffer. The generated codec takes JSON as
 * base64, decodes it character by character and encodes every event twice: a fifth of a create's
 * CPU in its process.
 */
export function encodeAppend(
  correlationId: string,
  {
    stream,
    expectedRevision,
    events,
    signer,
    beginUntilMs,
  }: Pick<AppendRequest, 'stream' | 'expectedRevision' | 'events' | 'signer'> & {
    /** Epoch milliseconds of the store's clock: it refuses the append if it gets it later. */
    beginUntilMs?: number | undefined;
  },
): Buffer {
  const options = encodeOptions(stream, expectedRevision);
  const prepared = events.map((event, index) => {
    const content = encodeContent(event);
    const key = event.signer ?? signer;
    if (!key) return prepare(event, content);
    const { id, type } = event;
    const place = { stream, revision: expectedRevision + 1 + index, id, type };
    return prepare(event, { ...content, metadata: signMetadata(key, place, content) });
  });
  return encode(
    correlationId,
    beginUntilMs === undefined
      ? options
      : encodeMessage(options, bytesField(6, encodeTime(beginUntilMs))),
    prepared,
  );
}

/** Encodes a google.protobuf.Timestamp, in whole seconds. */
const encodeTime = (ms: number): Buffer => encodeMessage(varintField(1, Math.floor(ms / 1_000)));

/** The same for events whose content is bytes. */
export function encodeCopy(
  correlationId: string,
  { stream, expectedRevision, events, asRecorded }: CopyRequest,
): Buffer {
  const prepared = events.map((event) => prepareCopy(event, asRecorded));
  return encode(correlationId, encodeOptions(stream, expectedRevision), prepared);
}

function encode(correlationId: string, options: Buffer, prepared: readonly EncodedEvent[]): Buffer {
  let length = 4 + uuidLength + fieldLength(options.length) + isFinal.length;
  for (const event of prepared) length += fieldLength(event.length);
  const out = Buffer.allocUnsafe(length);
  let at = writeUuid(out, 0, 0x0a, correlationId);
  at = writeField(out, at, 0x12, options);
  for (const event of prepared) {
    at = writeTagged(out, at, 0x1a, event.length);
    at = writeUuid(out, at, 0x0a, event.id);
    at = writeBytes(out, at, event.type);
    at = writeBytes(out, at, event.more);
    at = writeField(out, at, 0x1a, event.metadata);
    at = writeField(out, at, 0x22, event.data);
  }
  writeBytes(out, at, isFinal);
  return out;
}

type EventContent = Pick<RawEvent, 'metadata' | 'data'>;

const encodeContent = ({ metadata, data }: NewEvent): EventContent => ({
  metadata: Buffer.from(JSON.stringify(metadata), 'utf8'),
  data: Buffer.from(JSON.stringify(data), 'utf8'),
});

function prepare({ id, type }: NewEvent, content: EventContent): EncodedEvent {
  if (id.length !== uuidLength) throw new Error(`an event id is a UUID, not ${id}`);
  return withLength({ id, type: typeEntry(type), more: contentType, ...content });
}

function prepareCopy(event: RawEvent, asRecorded: boolean): EncodedEvent {
  const { id, data } = event;
  const metadata = asRecorded ? event.metadata : withTime(event);
  const more = [mapEntry('content-type', event.contentType)];
  if (asRecorded)
    more.push(
      mapEntry('created', event.createdTicks),
      mapEntry('position', String(event.position)),
    );
  return withLength({
    id,
    type: typeEntry(event.type),
    more: encodeMessage(...more),
    metadata,
    data,
  });
}

function withLength(event: Omit<EncodedEvent, 'length'>): EncodedEvent {
  const length =
    4 +
    uuidLength +
    event.type.length +
    event.more.length +
    fieldLength(event.metadata.length) +
    fieldLength(event.data.length);
  return { ...event, length };
}

/** The stream's name and its expected revision. */
function encodeOptions(stream: string, expectedRevision: number | 'any'): Buffer {
  return encodeMessage(bytesField(1, stringField(3, stream)), encodeExpected(expectedRevision));
}

function encodeExpected(revision: number | 'any'): Buffer {
  if (revision === 'any') return anyRevision;
  return revision < 0 ? noStream : varintField(2, revision);
}

const typeEntries = new Map<string, Buffer>();
/** More types than any program has. */
const maxTypes = 500;

function typeEntry(type: string): Buffer {
  const cached = typeEntries.get(type);
  if (cached) return cached;
  const entry = mapEntry('type', type);
  if (typeEntries.size < maxTypes) typeEntries.set(type, entry);
  return entry;
}

/** One entry of a `map<string, string>` in field 2. */
function mapEntry(key: string, value: string): Buffer {
  return bytesField(2, encodeMessage(stringField(1, key), stringField(2, value)));
}

/** A UUID message that holds its text (field 2), in a field of this tag. */
function writeUuid(out: Buffer, start: number, tag: number, id: string): number {
  const at = writeTagged(out, writeTagged(out, start, tag, uuidLength + 2), 0x12, uuidLength);
  return at + out.write(id, at, 'latin1');
}
