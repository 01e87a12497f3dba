import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { auditStream, type AuditEvent } from '#shared/domain/audit/events.ts';
import { appendAtHead } from '#shared/platform/event-store/append-at-head.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';

/** Records a run in the log. @throws when the log did not accept it */
export async function recordAudit(
  store: EventStore,
  event: AuditEvent,
  actor: string,
): Promise<void> {
  const result = await appendAtHead(
    store,
    auditStream,
    toNewEvents([event], { actor, correlationId: newId() }),
  );
  if (result.outcome === 'undecided')
    throw new Error('the run could not be recorded: the event store did not accept it', {
      cause: result.cause,
    });
}
