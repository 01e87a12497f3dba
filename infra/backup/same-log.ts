import { isPermanent } from '#shared/domain/log/retention.ts';
import type { MoveLog } from '#infra/move/logs.ts';
import { mayPass } from '#shared/platform/event-store/store-unavailable.ts';
import { BackupRefusal } from './refusal.ts';
import { readSegment } from './segment.ts';
import { loadSegment, segmentName, type BackupStore } from './segments.ts';

/**
 * Requires that the newest permanent event of the copy is in the log, at its position.
 * @throws BackupRefusal if the log is another one, or was restored to an earlier state
 */
export async function requireSameLog(
  { raw }: Pick<MoveLog, 'raw'>,
  store: BackupStore,
  segments: number,
): Promise<void> {
  for (let sequence = segments; sequence > 0; sequence -= 1) {
    const events = await readSegment(segmentName(sequence), await loadSegment(store, sequence));
    const newest = events.findLast(({ stream }) => isPermanent(stream));
    if (newest === undefined) continue;
    const found = await raw.at(newest.position).catch((error: unknown) => {
      // What may pass shows nothing; some servers fail for a position without an event.
      if (mayPass(error)) throw error;
    });
    if (found && found.position === newest.position && found.id === newest.id) return;
    // An unavailable store has no position at all.
    await raw.head();
    throw new BackupRefusal(
      `The target is a copy of another log, or of a newer state of this one: ${newest.type} (${newest.stream}, revision ${newest.revision}) is not at position ${newest.position}. Name another target.`,
    );
  }
}
