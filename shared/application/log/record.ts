import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

const recordTexts = ({
  stream,
  id,
  type,
  contentType,
  createdTicks,
}: RawEvent): readonly string[] => [stream, id, type, contentType, createdTicks];

/** An upper bound of what `writeLogRecord` writes. */
export function maxRecordBytes(event: RawEvent): number {
  let length = 16 + event.data.length + event.metadata.length + 4 * 7;
  for (const text of recordTexts(event)) length += text.length * 3;
  return length;
}

/**
 * Position and revision, then texts and bytes, each preceded by its length, so that the encoding is
 * unambiguous.
 */
export function writeLogRecord(out: Buffer, from: number, event: RawEvent): number {
  let at = writeNumber(out, from, event.position);
  at = writeNumber(out, at, event.revision);
  for (const text of recordTexts(event)) {
    const written = out.write(text, at + 4, 'utf8');
    out.writeUInt32BE(written, at);
    at += 4 + written;
  }
  for (const bytes of [event.data, event.metadata]) {
    at = out.writeUInt32BE(bytes.length, at);
    at += bytes.copy(out, at);
  }
  return at;
}

/** Writes a number as 64 bits, big-endian. */
function writeNumber(out: Buffer, at: number, value: number): number {
  out.writeUInt32BE(Math.floor(value / 4_294_967_296), at);
  return out.writeUInt32BE(value % 4_294_967_296, at + 4);
}

/** The event at an offset, and the offset of the next one. @throws RangeError at a cut record */
export function readRecord(bytes: Buffer, from: number): { event: RawEvent; end: number } {
  let at = from + 16;
  const next = (): Buffer => {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    if (at > bytes.length) throw new RangeError('the record is cut');
    return bytes.subarray(start, at);
  };
  const text = () => next().toString('utf8');
  const event = {
    position: readNumber(bytes, from),
    revision: readNumber(bytes, from + 8),
    stream: text(),
    id: text(),
    type: text(),
    contentType: text(),
    createdTicks: text(),
    data: next(),
    metadata: next(),
  };
  return { event, end: at };
}

const readNumber = (bytes: Buffer, at: number): number =>
  bytes.readUInt32BE(at) * 4_294_967_296 + bytes.readUInt32BE(at + 4);
