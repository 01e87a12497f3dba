import { auditStream, decodeAuditEvent, scheduledActor } from '#shared/domain/audit/events.ts';
import type { LastRun } from '#shared/domain/audit/due.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { dayMs } from '#shared/domain/day.ts';

/** How many of the newest audits are searched, including those started by hand. */
const mostRead = 100;

type RecordedRun = LastRun & { revision: number; outcome: string; tookMs: number };

const leastLimitMs = 6 * 3_600_000;
/** Timers hold no more than 24 days. */
const mostLimitMs = 20 * dayMs;

/**
 * The time after which the next audit has hung. A log grows, so it is four times what the newest
 * took, also if that one was ended by this limit.
 */
export const runLimitMs = (last: Pick<RecordedRun, 'tookMs'> | undefined): number =>
  Math.min(mostLimitMs, Math.max(leastLimitMs, 4 * (last?.tookMs ?? 0)));

/** The newest scheduled audit, on any machine. @throws when the log can't be read */
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
    // An incomplete audit is retried as soon as a failed one.
    tookMs: event.data.seconds * 1_000,
    failed: event.type === 'AuditFailed' || event.data.outcome === 'incomplete',
    outcome: event.type === 'AuditFailed' ? 'failed' : event.data.outcome,
  };
}
