import {
  isOutdatedBy,
  newestVersion,
  writtenSince,
  writtenUntil,
  type WrittenVersion,
} from '#shared/domain/versions.ts';
import { namingRolloutMs } from '../../authority/naming.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';

/** The first event of a version. `afterOlder`: an older program had written to the log before. */
type FirstEvent = WrittenVersion & { atMs: number; afterOlder: boolean };

/**
 * Tracks the versions of events. Rules are chosen by an event's own version, so an older version is
 * accepted only until programs that write a newer one run, and for a day alongside them.
 */
export function createVersions() {
  const firsts = new Map<string, FirstEvent>();
  return {
    /** Why no program can have written an event in its version. */
    whyOutdated: ({
      type,
      metadata: { schema_version: version },
      atMs,
    }: Pick<EventEnvelope, 'type' | 'atMs'> & {
      metadata: { schema_version: number };
    }): string | undefined => {
      const key = `${type} ${version}`;
      const isNewest = version >= newestVersion(type);
      if (isNewest && firsts.has(key)) return undefined;
      const event = { type, version };
      const all = [...firsts.values()];
      const newer = isNewest ? undefined : all.find((earlier) => isOutdatedBy(event, earlier));
      if (newer && (!newer.afterOlder || atMs > newer.atMs + namingRolloutMs))
        return `it is of version ${version}, after version ${newer.version} of ${newer.type} at ${new Date(newer.atMs).toISOString()}`;
      if (!firsts.has(key)) firsts.set(key, { ...event, atMs, afterOlder: isUpgrade(event, all) });
      return undefined;
    },
  };
}

/** Whether programs that do not write a version have written to the log before. */
function isUpgrade(event: WrittenVersion, before: readonly FirstEvent[]): boolean {
  const since = writtenSince(event);
  return (
    since !== undefined &&
    before.some((each) => {
      const until = writtenUntil(each);
      return until !== undefined && until <= since;
    })
  );
}
