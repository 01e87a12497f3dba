import { isTombstone, type CopySource } from '#infra/move/logs.ts';
import { readSegment } from '#infra/backup/segment.ts';
import { readSegments, segmentName, type BackupStore } from '#infra/backup/segments.ts';
import { erasurePrefix } from '#shared/domain/personal-data/events.ts';
import { createdMs, type RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { VerifiedBackup } from './verify.ts';

const maxBatch = 500;

/** Of erasures, which every restore has: otherwise destroyed keys would return. */
const isErasure = (event: RawEvent): boolean =>
  isTombstone(event) || event.stream.startsWith(erasurePrefix);

/** A copy as the source of another one: as of a time, except for erasures. */
export function createBackupSource(
  store: BackupStore,
  { segments, ends, deleted }: VerifiedBackup,
  untilMs = Infinity,
): CopySource {
  /** The position of the first event that is newer than the time. */
  let cutAt = Infinity;
  const isRestored = (event: RawEvent): boolean => {
    if (createdMs(event) > untilMs) cutAt = Math.min(cutAt, event.position);
    return event.position < cutAt || isErasure(event);
  };
  return {
    raw: {
      read: async function* (after) {
        const index = ends.findIndex((end) => end > after);
        if (index < 0) return;
        for await (const segment of readSegments(store, { from: index + 1, count: segments })) {
          const name = segmentName(segment.header.sequence);
          const events = (await readSegment(name, segment)).filter(
            (event) => event.position > after && isRestored(event),
          );
          for (let at = 0; at < events.length; at += maxBatch)
            yield events.slice(at, at + maxBatch);
        }
      },
    },
    isDeleted: (stream) => Promise.resolve(deleted.has(stream)),
  };
}
