/** The part of a stream's metadata that limits which of its events can be read. */
export type StreamMetadata = {
  readonly maxCount: number | undefined;
  readonly maxAgeSeconds: number | undefined;
  /** The first revision that can be read. */
  readonly truncateBefore: number | undefined;
  readonly softDeleted: boolean;
};

export const NO_METADATA: StreamMetadata = {
  maxCount: undefined,
  maxAgeSeconds: undefined,
  truncateBefore: undefined,
  softDeleted: false,
};

/** A metastream retains only its newest event. */
export const METASTREAM_METADATA: StreamMetadata = { ...NO_METADATA, maxCount: 1 };

/** The type of the last event of a stream that was deleted for good. */
export const TOMBSTONE_TYPE = '$streamDeleted';
export const METADATA_TYPE = '$metadata';

/**
 * A soft delete writes this to the metastream: no event of the stream is readable, whatever the
 * metadata was.
 */
export const SOFT_DELETE_DATA = Buffer.from('{"$tb":9223372036854775807}');

// $tb of a soft delete is 2^63 - 1, which becomes 2^63 as a double: any number above this limit
// means "deleted".
const SOFT_DELETE_TRUNCATE_BEFORE = 9.2e18;

export function isMetastream(stream: string): boolean {
  return stream.startsWith('$$');
}

export function metastreamName(stream: string): string {
  return `$$${stream}`;
}

export function originalStreamName(metastream: string): string {
  return metastream.slice(2);
}

/**
 * Parses a `$metadata` event. Metadata that is not an object, or has an invalid limit, is ignored.
 */
export function parseStreamMetadata(data: Uint8Array): StreamMetadata {
  const object = parseObject(data);
  if (object === undefined) return NO_METADATA;
  const maxCount = object['$maxCount'];
  const maxAgeSeconds = object['$maxAge'];
  const truncateBefore = object['$tb'];
  if (!isLimit(maxCount, 1) || !isLimit(maxAgeSeconds, 1) || !isLimit(truncateBefore, 0))
    return NO_METADATA;
  return {
    maxCount,
    maxAgeSeconds,
    truncateBefore,
    softDeleted: truncateBefore !== undefined && truncateBefore >= SOFT_DELETE_TRUNCATE_BEFORE,
  };
}

/**
 * The metadata that brings a soft-deleted stream back: as it was, but readable from `revision` on.
 */
export function undeletedMetadata(data: Uint8Array, revision: number): Buffer | undefined {
  const object = parseObject(data);
  return object === undefined
    ? undefined
    : Buffer.from(JSON.stringify({ ...object, $tb: revision }));
}

function isLimit(value: unknown, minimum: number): value is number | undefined {
  return (
    value === undefined ||
    (typeof value === 'number' && Number.isInteger(value) && value >= minimum)
  );
}

function parseObject(data: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8'),
    );
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
