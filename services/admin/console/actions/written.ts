import type { EventStore } from '#shared/platform/event-store/index.ts';
import { fromStore } from '../../store.ts';
import type { WrittenEvent } from '../notice.ts';

/** How many of the newest events of a stream are searched. */
const searchedEvents = 100;

/**
 * The events that a request wrote, or led this process to write, read back from the log, so that
 * only what is there is shown. @throws Problem not_ready when it can't be read
 */
export async function findWritten(
  store: EventStore,
  streams: readonly string[],
  requestId: string,
): Promise<WrittenEvent[]> {
  const found = await Promise.all(
    [...new Set(streams)].map((stream) =>
      fromStore(store.read(stream, { direction: 'backwards', maxCount: searchedEvents })),
    ),
  );
  return found
    .flat()
    .filter(({ metadata: { request_id, correlation_id } }) =>
      [request_id, correlation_id].includes(requestId),
    )
    .toSorted((left, right) => (left.position < right.position ? -1 : 1))
    .map(({ type, stream, revision, id }) => ({ type, stream, revision, id }));
}
