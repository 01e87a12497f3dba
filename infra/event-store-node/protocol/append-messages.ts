import type { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import type { ExpectedRevision } from '../streams/expected-revision.ts';
import { isEmptyUuid, readWireUuid } from './uuid.ts';

/** An event as a client proposes it. */
export type ProposedEvent = {
  readonly id: Buffer;
  readonly type: string | undefined;
  readonly contentType: string | undefined;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** When and where another log has it: only copies of a log say that. */
  readonly recorded?: RecordedPlace;
};

export type RecordedPlace = { readonly createdMs: number; readonly position: number };

const NOTHING = Buffer.alloc(0);
const NO_ID: Buffer = Buffer.alloc(16);

/**
 * Reads AppendReq.ProposedMessage and BatchAppendReq.ProposedMessage, which have the same fields.
 */
export function readProposedEvent(reader: ProtoReader): ProposedEvent {
  let id: Buffer = NO_ID;
  let type: string | undefined;
  let contentType: string | undefined;
  let data: Uint8Array = NOTHING;
  let metadata: Uint8Array = NOTHING;
  let createdMs: number | undefined;
  let position: number | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) id = readWireUuid(reader.message()).bytes;
    else if (tag === 18) {
      const [key, value] = reader.mapEntry();
      if (key === 'type') type = value;
      else if (key === 'content-type') contentType = value;
      else if (key === 'created') createdMs = wholeNumber(value.slice(0, -4));
      else if (key === 'position') position = wholeNumber(value);
    } else if (tag === 26) metadata = reader.bytes();
    else if (tag === 34) data = reader.bytes();
    else reader.skip(tag);
  }
  const event = { id, type, contentType, data, metadata };
  if (createdMs === undefined || position === undefined) return event;
  return { ...event, recorded: { createdMs, position } };
}

function wholeNumber(text: string): number | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * What is wrong with a proposed event, in the words of the real server; undefined if it is valid.
 */
export function findEventFault(event: ProposedEvent): string | undefined {
  if (event.type === undefined || event.contentType === undefined) {
    return 'The given key was not present in the dictionary.';
  }
  if (isEmptyUuid(event.id)) return "Empty eventId provided. (Parameter 'eventId')";
  if (event.type === '') return "Empty eventType provided. (Parameter 'eventType')";
  return undefined;
}

/** Reads StreamIdentifier. */
export const readStreamName = (reader: ProtoReader): string => reader.only(26, readString) ?? '';

const readString = (reader: ProtoReader): string => reader.string();

/** Reads one of the fields 2 to 5 that all write requests share; undefined for another tag. */
export function readExpectedRevision(
  tag: number,
  reader: ProtoReader,
): ExpectedRevision | undefined {
  if (tag === 16) return { kind: 'exact', revision: reader.uint64() };
  const kind = expectations.get(tag);
  if (kind === undefined) return undefined;
  reader.skip(tag);
  return { kind };
}

const expectations = new Map<number, Exclude<ExpectedRevision['kind'], 'exact'>>([
  [26, 'no_stream'],
  [34, 'any'],
  [42, 'stream_exists'],
]);

export type WriteTarget = { readonly stream: string; readonly expected: ExpectedRevision };

/** Reads AppendReq.Options, DeleteReq.Options and TombstoneReq.Options. */
function readWriteTarget(reader: ProtoReader): WriteTarget {
  let stream = '';
  let expected: ExpectedRevision = { kind: 'any' };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) stream = readStreamName(reader.message());
    else {
      const revision = readExpectedRevision(tag, reader);
      if (revision === undefined) reader.skip(tag);
      else expected = revision;
    }
  }
  return { stream, expected };
}

type AppendRequestMessage =
  | { readonly kind: 'options'; readonly target: WriteTarget }
  | { readonly kind: 'event'; readonly event: ProposedEvent }
  | { readonly kind: 'none' };

/** Reads one AppendReq of the unary append's client stream. */
export function readAppendRequest(reader: ProtoReader): AppendRequestMessage {
  let message: AppendRequestMessage = { kind: 'none' };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) message = { kind: 'options', target: readWriteTarget(reader.message()) };
    else if (tag === 18) message = { kind: 'event', event: readProposedEvent(reader.message()) };
    else reader.skip(tag);
  }
  return message;
}

/** Reads DeleteReq and TombstoneReq; undefined when the options are missing. */
export const readDeleteRequest = (reader: ProtoReader): WriteTarget | undefined =>
  reader.only(10, (options) => readWriteTarget(options.message()));
