import type { LogEvent } from './log-event.ts';

/**
 * Reads a ReadResp of the event store (`event_store.client.streams`) by hand: an auditor wants the bytes that are stored,
 * which the generated codec copies and the official client parses.
 * @returns nothing for an answer that holds no event
 * @throws on bytes that are none
 */
export function decodeRead(bytes: Buffer): LogEvent | undefined {
  let event: LogEvent | undefined;
  eachField(bytes, (field, value) => {
    if (field !== 1 || !Buffer.isBuffer(value)) return;
    eachField(value, (inner, recorded) => {
      if (inner === 1 && Buffer.isBuffer(recorded)) event = recordedEvent(recorded);
    });
  });
  return event;
}

function recordedEvent(bytes: Buffer): LogEvent {
  const event: LogEvent = {
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
  eachField(bytes, (field, value) => {
    if (typeof value === 'number') {
      if (field === 3) event.revision = value;
      else if (field === 5) event.position = value;
      return;
    }
    switch (field) {
      case 1:
        event.id = uuid(value);
        break;
      case 2:
        event.stream = textIn(value, 3);
        break;
      case 6:
        property(event, value);
        break;
      case 7:
        event.metadata = value;
        break;
      case 8:
        event.data = value;
        break;
    }
  });
  return event;
}

const empty = Buffer.alloc(0);

/** One entry of the event's `map<string, string>`: its type, its content type, when it was created. */
function property(event: LogEvent, entry: Buffer): void {
  switch (textIn(entry, 1)) {
    case 'type':
      event.type = textIn(entry, 2);
      break;
    case 'content-type':
      event.contentType = textIn(entry, 2);
      break;
    case 'created':
      event.createdTicks = textIn(entry, 2);
      break;
  }
}

function textIn(message: Buffer, wanted: number): string {
  let text = '';
  eachField(message, (field, value) => {
    if (field === wanted && typeof value !== 'number') text = value.toString('utf8');
  });
  return text;
}

/** Its text, which is asked for; a store that sends the two halves all the same is understood. */
function uuid(message: Buffer): string {
  const text = textIn(message, 2);
  if (text !== '') return text;
  let hex = '';
  eachField(message, (field, value) => {
    if (field === 1 && typeof value !== 'number') hex = halves(value);
  });
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function halves(message: Buffer): string {
  const parts = [0n, 0n];
  let at = 0;
  while (at < message.length) {
    const field = (message[at] ?? 0) >> 3;
    let value = 0n;
    let shift = 0n;
    for (at += 1; ; at += 1, shift += 7n) {
      const byte = message[at] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += 1;
    parts[field - 1] = BigInt.asUintN(64, value);
  }
  return parts.map((part) => part.toString(16).padStart(16, '0')).join('');
}

/** Each field of a message: varints as numbers (positions stay far below 2^53), anything with a length as its bytes. */
function eachField(bytes: Buffer, take: (field: number, value: number | Buffer) => void): void {
  const end = bytes.length;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    let factor = 1;
    for (let index = 0; index < 10; index += 1, factor *= 128) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new Error('the event store sent what is no number');
  };
  while (at < end) {
    const tag = varint();
    const kind = tag & 7;
    const field = tag >>> 3;
    const value = varint();
    if (kind === 0) {
      take(field, value);
      continue;
    }
    if (kind !== 2 || at + value > end) throw new Error('the event store sent what is no event');
    take(field, bytes.subarray(at, at + value));
    at += value;
  }
}
