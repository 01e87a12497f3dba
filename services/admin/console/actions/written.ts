import type { EventStore } from '#shared/platform/event-store/index.ts';
import { fromStore } from '../../store.ts';
import type { WrittenEvent } from '../notice.ts';

/** Events that others may have appended to a stream since. */
const lookedAt = 100;

/**
 * The events that a request wrote, or led this process to write, as the log has them: it is asked, so that nobody is told
 * of what is not there. @throws Problem not_ready when it can't be read
 */
export async function findWritten(
  store: EventStore,
  streams: readonly string[],
  requestId: string,
): Promise<WrittenEvent[]> {
  const found = await Promise.all(
    [...new Set(streams)].map((stream) =>
      fromStore(store.read(stream, { direction: 'backwards', maxCount: lookedAt })),
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
