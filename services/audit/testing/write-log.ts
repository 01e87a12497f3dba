import {
  NO_STREAM,
  type EventMetadata,
  type EventStore,
  type NewEvent,
} from '#shared/platform/event-store/index.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

/** The maximum number of events of one append. */
const mostAtOnce = 200;

/** Writes a log from memory in order; adjacent events of a stream are one append. */
export async function writeLog(store: EventStore, events: readonly RawEvent[]): Promise<void> {
  for (let from = 0; from < events.length;) {
    const { stream, revision } = events[from] as RawEvent;
    let to = from + 1;
    while (to < events.length && to - from < mostAtOnce && events[to]?.stream === stream) to += 1;
    const appended = await store.append({
      stream,
      expectedRevision: revision === 0 ? NO_STREAM : revision - 1,
      events: events.slice(from, to).map(toNewEvent),
    });
    if (appended.outcome !== 'appended')
      throw new Error(`${stream} ${revision}: ${appended.outcome}`);
    from = to;
  }
}

const acceptanceMs = 15_000;

/** The store gives it the time of its clock, by which the wait for a provider is computed. */
function toNewEvent({ id, type, data, metadata }: RawEvent): NewEvent {
  const accept_until = new Date(Date.now() + acceptanceMs).toISOString();
  return {
    id,
    type,
    data: {
      ...(JSON.parse(data.toString('utf8')) as object),
      ...(type === 'OperationAdmitted' && { accept_until }),
    },
    metadata: JSON.parse(metadata.toString('utf8')) as EventMetadata,
  };
}
