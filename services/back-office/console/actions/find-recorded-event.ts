import type { EventStore } from '#shared/platform/event-store/index.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { NoticeEvent } from '../../frame/notice.ts';
import type { Action } from './action.ts';

/** How many of the newest events of a stream are searched. */
const searchedEvents = 100;

type EventSearch = { streams: readonly string[]; shows?: Action['shows'] };

/**
 * The events that a request caused in this process, read back from the log, so that only recorded
 * events are shown.
 * @throws Problem not_ready when it can't be read
 */
export async function findWritten(
  store: EventStore,
  { streams, shows: { types, among } = { types: [], among: searchedEvents } }: EventSearch,
  requestId: string,
): Promise<NoticeEvent[]> {
  const reads = await Promise.all(
    [...new Set(streams)].map((stream) =>
      fromStore(store.read(stream, { direction: 'backwards', maxCount: among })),
    ),
  );
  return reads
    .flat()
    .filter(
      ({ type, metadata: { request_id, correlation_id } }) =>
        [request_id, correlation_id].includes(requestId) &&
        (types.length === 0 || types.includes(type)),
    )
    .toSorted((left, right) => (left.position < right.position ? -1 : 1))
    .map(({ type, stream, revision, id }) => ({ type, stream, revision, id }));
}
