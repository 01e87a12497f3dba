import type { StreamMetadata } from './stream-metadata.ts';

/** Which events of a stream can be read: from a revision on, written at or after a time. */
type VisibleRange = { readonly fromRevision: number; readonly sinceMs: number };

/** Applies $tb, $maxCount and $maxAge to a stream whose newest event has revision `head`. */
export function visibleRange(metadata: StreamMetadata, head: number, nowMs: number): VisibleRange {
  const byCount = metadata.maxCount === undefined ? 0 : head - metadata.maxCount + 1;
  return {
    fromRevision: Math.max(0, byCount, metadata.truncateBefore ?? 0),
    sinceMs: metadata.maxAgeSeconds === undefined ? 0 : nowMs - metadata.maxAgeSeconds * 1000,
  };
}
