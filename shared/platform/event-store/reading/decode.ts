import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { readUuid } from '../uuid.ts';
import type { RawEvent } from './raw-event.ts';
import { restoreTime } from './recorded-before.ts';

/** One message of the store's answer to a read or a subscription. */
export type ReadAnswer =
  | { kind: 'event'; event: RawEvent }
  /** A filtered subscription has read everything up to here. */
  | { kind: 'checkpoint'; commit: number; prepare: number }
  /** A subscription has delivered all events that were there when it began. */
  | { kind: 'caught_up' }
  | { kind: 'no_stream' }
  | { kind: 'other' };

const other: ReadAnswer = { kind: 'other' };
const caughtUp: ReadAnswer = { kind: 'caught_up' };
const noStream: ReadAnswer = { kind: 'no_stream' };

/**
 * Reads a ReadResp (`event_store.client.streams`) by hand, in one pass and without copying: the
 * generated codec copies every field, and costs as much as all further work with the event.
 * @throws MalformedMessageError
 */
export function decodeAnswer(message: Buffer): ReadAnswer {
  const reader = new ProtoReader(message);
  let answer = other;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    // A link, and its place in a stream of links, are not read: links are never requested.
    if (tag === 10) answer = reader.message().only(10, readRecordedEvent) ?? answer;
    else if (tag === 26) {
      const [commit, prepare] = reader.message().twoVarints();
      answer = { kind: 'checkpoint', commit, prepare };
    } else {
      if (tag === 34) answer = noStream;
      else if (tag === 66) answer = caughtUp;
      reader.skip(tag);
    }
  }
  return answer;
}

function readRecordedEvent(field: ProtoReader): ReadAnswer {
  const reader = field.message();
  const event: RawEvent = {
    position: 0,
    stream: '',
    revision: 0,
    id: '',
    type: '',
    contentType: '',
    createdTicks: '',
    data: empty,
    metadata: empty,
  };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) event.id = readUuid(reader.message());
    else if (tag === 18) event.stream = reader.message().only(26, readString) ?? '';
    else if (tag === 24) event.revision = reader.varint();
    else if (tag === 40) event.position = reader.varint();
    else if (tag === 50) setProperty(event, reader.mapEntry());
    else if (tag === 58) event.metadata = reader.bytes();
    else if (tag === 66) event.data = reader.bytes();
    else reader.skip(tag);
  }
  restoreTime(event);
  return { kind: 'event', event };
}

const empty = Buffer.alloc(0);

/**
 * One entry of the event's `map<string, string>`: its type, its content type, when it was created.
 */
function setProperty(event: RawEvent, [key, value]: readonly [string, string]): void {
  if (key === 'type') event.type = value;
  else if (key === 'content-type') event.contentType = value;
  else if (key === 'created') event.createdTicks = value;
}

const readString = (reader: ProtoReader): string => reader.string();
