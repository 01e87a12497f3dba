import type { RawEvent } from './raw-event.ts';

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
 * @throws on invalid bytes
 */
export function decodeAnswer(message: Buffer): ReadAnswer {
  begin(message);
  let answer = other;
  while (more(message.length)) {
    const field = nextField();
    if (field === 1) answer = readEvent(valueEnd) ?? answer;
    else if (field === 3) answer = checkpoint(valueEnd);
    else if (field === 4) answer = noStream;
    else if (field === 8) answer = caughtUp;
    skip();
  }
  return answer;
}

/** A link, and its place in a stream of links, are not read, because links are never asked for. */
function readEvent(end: number): ReadAnswer | undefined {
  let answer: ReadAnswer | undefined;
  while (more(end)) {
    if (nextField() === 1) answer = { kind: 'event', event: recordedEvent(valueEnd) };
    skip();
  }
  return answer;
}

function recordedEvent(end: number): RawEvent {
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
  while (more(end)) {
    const field = nextField();
    if (field === 1) event.id = uuid(valueEnd);
    else if (field === 2) event.stream = streamName(valueEnd);
    else if (field === 3) event.revision = number;
    else if (field === 5) event.position = number;
    else if (field === 6) property(event, valueEnd);
    else if (field === 7) event.metadata = bytes.subarray(at, valueEnd);
    else if (field === 8) event.data = bytes.subarray(at, valueEnd);
    skip();
  }
  return event;
}

const empty = Buffer.alloc(0);

function checkpoint(end: number): ReadAnswer {
  let commit = 0;
  let prepare = 0;
  while (more(end)) {
    const field = nextField();
    if (field === 1) commit = number;
    else if (field === 2) prepare = number;
    skip();
  }
  return { kind: 'checkpoint', commit, prepare };
}

/**
 * One entry of the event's `map<string, string>`: its type, its content type, when it was created.
 */
function property(event: RawEvent, end: number): void {
  let key = '';
  let value = '';
  while (more(end)) {
    const field = nextField();
    if (field === 1) key = bytes.toString('latin1', at, valueEnd);
    else if (field === 2) value = bytes.toString('utf8', at, valueEnd);
    skip();
  }
  if (key === 'type') event.type = value;
  else if (key === 'content-type') event.contentType = value;
  else if (key === 'created') event.createdTicks = value;
}

function streamName(end: number): string {
  let name = '';
  while (more(end)) {
    if (nextField() === 3) name = bytes.toString('utf8', at, valueEnd);
    skip();
  }
  return name;
}

/** A UUID as text, which is what we ask for. The form with two halves is understood too. */
function uuid(end: number): string {
  let text = '';
  while (more(end)) {
    const field = nextField();
    if (field === 1) text = fromHalves(valueEnd);
    else if (field === 2) text = bytes.toString('latin1', at, valueEnd);
    skip();
  }
  return text;
}

/** Two signed 64-bit integers, which are too large for a number. */
function fromHalves(end: number): string {
  const halves = [0n, 0n];
  while (more(end)) {
    const field = nextField();
    // The bytes of the varint that was just skipped.
    let value = 0n;
    for (let from = numberAt, shift = 0n; from < at; from += 1, shift += 7n)
      value |= BigInt((bytes[from] ?? 0) & 0x7f) << shift;
    halves[field - 1] = BigInt.asUintN(64, value);
    skip();
  }
  const hex = halves.map((half) => half.toString(16).padStart(16, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

// The state of the message that is being decoded. Decoding never awaits, so one state is enough for
// all messages.
let bytes: Buffer = empty;
let at = 0;
/** The varint of the current field, or its length. */
let number = 0;
let numberAt = 0;
/**
 * Where the current field ends. `at` is at its value if it has a length, and at its end if it is a
 * varint.
 */
let valueEnd = 0;

const noAnswer = 'the event store sent what is no answer to a read';

function begin(message: Buffer): void {
  bytes = message;
  at = 0;
}

/** Whether the message, which ends at `end`, has another field. */
function more(end: number): boolean {
  if (at > end) throw new Error(noAnswer);
  return at < end;
}

/** Begins the next field, and says which it is. */
function nextField(): number {
  const tag = varint();
  const kind = tag & 7;
  numberAt = at;
  number = varint();
  valueEnd = kind === 2 ? at + number : at;
  if ((kind !== 0 && kind !== 2) || valueEnd > bytes.length) throw new Error(noAnswer);
  return tag >>> 3;
}

/** Moves to the end of the current field, whether it was read or not. */
function skip(): void {
  if (at < valueEnd) at = valueEnd;
}

/** As a number: revisions and positions stay far below 2^53. */
function varint(): number {
  let value = 0;
  let factor = 1;
  for (let index = 0; index < 10; index += 1, factor *= 128) {
    const byte = bytes[at] ?? 0;
    at += 1;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  throw new Error('the event store sent what is no number');
}
