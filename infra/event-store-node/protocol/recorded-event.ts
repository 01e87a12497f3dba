import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import {
  bytesField,
  encodeMessage,
  fieldLength,
  stringField,
  varintField,
  varintLength,
  writeBytes,
  writeField,
  writeTagged,
} from '#shared/platform/protobuf/writer.ts';
import { TOMBSTONE_REVISION } from '../storage/stored-event.ts';

type RecordContent = {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly contentType: string;
  readonly createdMs: number;
  readonly metadata: Uint8Array;
  readonly data: Uint8Array;
};

const I64_MAX = 9_223_372_036_854_775_807n;
const TYPE_CACHE_LIMIT = 1000;
const typeEntries = new Map<string, Buffer>();

/** Encodes RecordedEvent without its id, whose form is the reader's choice. */
export function encodeRecord(content: RecordContent): Buffer {
  const { stream, position, metadata, data } = content;
  const nameLength = Buffer.byteLength(stream);
  const identifierLength = fieldLength(nameLength);
  const revision = varintField(
    3,
    content.revision === TOMBSTONE_REVISION ? I64_MAX : content.revision,
  );
  const type = typeEntry(content.type, recordedContentType(content.contentType));
  const created = mapEntry('created', `${content.createdMs}0000`);
  const length =
    fieldLength(identifierLength) +
    revision.length +
    2 * (1 + varintLength(position)) +
    type.length +
    created.length +
    fieldLength(metadata.length) +
    fieldLength(data.length);
  const out = Buffer.allocUnsafe(length);
  let at = writeTagged(out, 0, 0x12, identifierLength);
  at = writeTagged(out, at, 0x1a, nameLength);
  at += out.write(stream, at);
  at = writeBytes(out, at, revision);
  at = writeTagged(out, at, 0x20, position);
  at = writeTagged(out, at, 0x28, position);
  at = writeBytes(out, at, type);
  at = writeBytes(out, at, created);
  at = writeField(out, at, 0x3a, metadata);
  writeField(out, at, 0x42, data);
  return out;
}

/** The data of an encoded record and how its writer called it. */
export function readRecordContent(record: Uint8Array): {
  readonly contentType: string;
  readonly data: Buffer;
} {
  const reader = new ProtoReader(Buffer.from(record.buffer, record.byteOffset, record.length));
  let contentType = '';
  let data: Buffer = Buffer.alloc(0);
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 50) {
      const [key, value] = reader.mapEntry();
      if (key === 'content-type') contentType = value;
    } else if (tag === 66) data = reader.bytes();
    else reader.skip(tag);
  }
  return { contentType, data };
}

/**
 * Only the stream's name: it is the first field, so that filters need not read the whole record.
 */
export function readRecordStreamName(record: Uint8Array): string {
  const reader = new ProtoReader(Buffer.from(record.buffer, record.byteOffset, record.length));
  reader.tag();
  return streamNameIn(reader.message());
}

function streamNameIn(identifier: ProtoReader): string {
  identifier.tag();
  return identifier.string();
}

function mapEntry(key: string, value: string): Buffer {
  return bytesField(6, encodeMessage(stringField(1, key), stringField(2, value)));
}

/**
 * Like the real server, the log distinguishes only JSON from everything else; other content types
 * are not stored.
 */
function recordedContentType(contentType: string): string {
  return contentType === 'application/json' ? contentType : 'application/octet-stream';
}

function typeEntry(type: string, contentType: string): Buffer {
  const key = `${contentType} ${type}`;
  let entry = typeEntries.get(key);
  if (entry === undefined) {
    entry = encodeMessage(mapEntry('type', type), mapEntry('content-type', contentType));
    if (typeEntries.size >= TYPE_CACHE_LIMIT) typeEntries.clear();
    typeEntries.set(key, entry);
  }
  return entry;
}
