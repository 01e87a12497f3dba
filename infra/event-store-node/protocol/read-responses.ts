import {
  bytesField,
  emptyField,
  encodeMessage,
  fieldLength,
  stringField,
  varintField,
  varintLength,
  writeBytes,
  writeTagged,
} from '#shared/platform/protobuf/writer.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import { FRAME_HEADER_BYTES, frame } from './framing.ts';
import type { LogPosition } from './read-request.ts';
import type { UuidForm } from './uuid.ts';
import { encodeUuid, uuidToText } from './uuid.ts';
import { encodeStreamIdentifier } from './write-responses.ts';

/** A gRPC frame with ReadResp.confirmation. */
export function confirmationFrame(subscriptionId: string): Buffer {
  return frame(bytesField(2, stringField(1, subscriptionId)));
}

/** A gRPC frame with ReadResp.checkpoint. */
export function checkpointFrame({ commit, prepare }: LogPosition): Buffer {
  return frame(bytesField(3, encodeMessage(varintField(1, commit), varintField(2, prepare))));
}

/** A gRPC frame with ReadResp.stream_not_found. */
export function streamNotFoundFrame(stream: string): Buffer {
  return frame(bytesField(4, bytesField(1, encodeStreamIdentifier(stream))));
}

export function firstStreamPositionFrame(revision: number): Buffer {
  return frame(varintField(5, revision));
}

export function lastStreamPositionFrame(revision: number): Buffer {
  return frame(varintField(6, revision));
}

export function caughtUpFrame(): Buffer {
  return frame(emptyField(8));
}

/** What a reader gets: an event, a link with its target event, or a link without a target. */
export type ResolvedEvent =
  | { readonly event: RecordedEvent; readonly link?: undefined }
  | { readonly event: RecordedEvent | undefined; readonly link: RecordedEvent };

/** A gRPC frame with ReadResp.event. */
export function eventFrame({ event, link }: ResolvedEvent, form: UuidForm): Buffer {
  if (link !== undefined) return linkFrame(event, link, form);
  const idLength = form === 'string' ? 40 : 0;
  const structured = idLength === 0 ? bytesField(1, encodeUuid(event.id, 'structured')) : undefined;
  const recordLength = (structured?.length ?? idLength) + event.record.length;
  const contentLength = fieldLength(recordLength) + 1 + varintLength(event.position);
  const length = fieldLength(contentLength);
  const out = Buffer.allocUnsafe(FRAME_HEADER_BYTES + length);
  out[0] = 0;
  out.writeUInt32BE(length, 1);
  let at = writeTagged(out, FRAME_HEADER_BYTES, 0x0a, contentLength);
  at = writeTagged(out, at, 0x0a, recordLength);
  at = structured === undefined ? writeTextId(out, at, event.id) : writeBytes(out, at, structured);
  at = writeBytes(out, at, event.record);
  writeTagged(out, at, 0x18, event.position);
  return out;
}

function linkFrame(event: RecordedEvent | undefined, link: RecordedEvent, form: UuidForm): Buffer {
  const fields = event === undefined ? [] : [bytesField(1, recordedEvent(event, form))];
  fields.push(bytesField(2, recordedEvent(link, form)), varintField(3, link.position));
  return frame(bytesField(1, encodeMessage(...fields)));
}

function recordedEvent(event: RecordedEvent, form: UuidForm): Buffer {
  return encodeMessage(bytesField(1, encodeUuid(event.id, form)), event.record);
}

/** RecordedEvent.id in the textual form: 2 bytes of header, 2 of the inner one, 36 characters. */
function writeTextId(out: Buffer, start: number, id: Uint8Array): number {
  const at = writeTagged(out, writeTagged(out, start, 0x0a, 38), 0x12, 36);
  return at + out.write(uuidToText(id), at, 'latin1');
}
