import {
  auditStream,
  decodeAuditEvent,
  scheduledActor,
  type AuditRan,
} from '#shared/domain/audit/events.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';

/** A recorded audit, as the API shows it. `audit` is its revision in the stream of audits. */
export type AuditView = {
  audit: number;
  recorded_at: string;
  /** Who started it; null: it was scheduled. */
  started_by: string | null;
  started_at: string;
  seconds: number;
} & (AuditRan | { outcome: 'failed'; reason: string });

type AuditPage = { audits: AuditView[]; nextCursor: string | null };

/** Newest first. @throws when the log can't be read */
export async function listAudits(
  store: Pick<EventStore, 'read'>,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<AuditPage> {
  if (before === 0) return { audits: [], nextCursor: null };
  const events = await store.read(auditStream, {
    direction: 'backwards',
    maxCount: limit,
    ...(before !== undefined && { fromRevision: before - 1 }),
  });
  const last = events.at(-1);
  const more = events.length === limit && last !== undefined && last.revision > 0;
  return { audits: events.map(toAuditView), nextCursor: more ? String(last.revision) : null };
}

/** One audit; undefined if there is none. @throws when the log can't be read */
export async function auditAt(
  store: Pick<EventStore, 'read'>,
  audit: number,
): Promise<AuditView | undefined> {
  const [event] = await store.read(auditStream, { fromRevision: audit, maxCount: 1 });
  return event && toAuditView(event);
}

function toAuditView(stored: StoredEvent): AuditView {
  const { type, data } = decodeAuditEvent(stored);
  const { actor } = stored.metadata;
  const about = {
    audit: stored.revision,
    recorded_at: stored.created.toISOString(),
    started_by: actor === scheduledActor ? null : actor.replace(/^auditor:/, ''),
  };
  return type === 'AuditFailed' ? { ...about, outcome: 'failed', ...data } : { ...about, ...data };
}
