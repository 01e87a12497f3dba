import { auditStream, decodeAuditEvent, scheduledActor } from '#shared/domain/audit/events.ts';
import type { LastRun } from '#shared/domain/audit/due.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

/** Of so many of the newest, those by hand included. */
const mostRead = 100;

type RecordedRun = LastRun & { revision: number; outcome: string };

/** The newest audit that ran by itself, on whichever machine. @throws when the log can't be read */
export async function lastScheduledRun(
  store: Pick<EventStore, 'read'>,
): Promise<RecordedRun | undefined> {
  const stored = await store.read(auditStream, { direction: 'backwards', maxCount: mostRead });
  const newest = stored.find(({ metadata }) => metadata.actor === scheduledActor);
  if (!newest) return undefined;
  const event = decodeAuditEvent(newest);
  return {
    revision: newest.revision,
    endedMs: newest.created.getTime(),
    // Where something could not be compared, it is tried again as soon.
    failed: event.type === 'AuditFailed' || event.data.outcome === 'incomplete',
    outcome: event.type === 'AuditFailed' ? 'failed' : event.data.outcome,
  };
}
