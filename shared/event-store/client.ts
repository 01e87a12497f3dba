import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  FORWARDS,
  START,
  StreamNotFoundError,
  eventTypeFilter,
  streamNameFilter,
  type StreamingRead,
} from '@eventstore/db-client';
import { appendWithKnownOutcome } from './append.ts';
import { createBatchAppend } from './batch-append/batch-append.ts';
import { toStoredEvent } from './stored-event.ts';
import { subscribeInBatches } from './subscribe.ts';
import type { EventStore, LogFilter, ReadRequest, StoredEvent, SubscribeRequest } from './types.ts';

const defaultReadDeadlineMs = 5_000;

/**
 * The event store behind a connection string (contract §1, EVENT_STORE_URL), through the official client; appends
 * with a codec of the gateway's own (docs/decisions/batched-appends.md).
 */
export function connectEventStore(connectionString: string): EventStore {
  const client = EventStoreDBClient.connectionString(connectionString);
  const rawAppend = createBatchAppend(client);

  const read = async (stream: string, request: ReadRequest = {}): Promise<StoredEvent[]> => {
    const backwards = request.direction === 'backwards';
    const from = request.fromRevision;
    const reading = client.readStream(stream, {
      direction: backwards ? BACKWARDS : FORWARDS,
      fromRevision: from === undefined ? (backwards ? END : START) : BigInt(from),
      maxCount: request.maxCount ?? 10_000,
    });
    try {
      const resolved = await collect(reading, request.deadlineMs ?? defaultReadDeadlineMs);
      return resolved.flatMap(({ event }) => (event ? [toStoredEvent(event)] : []));
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      throw error;
    }
  };

  return {
    append: (request) => appendWithKnownOutcome({ append: rawAppend, read }, request),
    read,
    subscribe: (request: SubscribeRequest) =>
      subscribeInBatches((onCheckpoint) => {
        const { after, filter } = request;
        return client.subscribeToAll({
          fromPosition: after === undefined ? START : { commit: after, prepare: after },
          ...(filter && { filter: toClientFilter(filter, onCheckpoint) }),
        });
      }, request),
    readLog: async ({ after, maxCount, deadlineMs = defaultReadDeadlineMs }) => {
      // A read from a position begins with the event that stands there.
      const more = after === 0n ? 0 : 1;
      const reading = client.readAll({
        fromPosition: after === 0n ? START : { commit: after, prepare: after },
        maxCount: maxCount + more,
      });
      const events = (await collect(reading, deadlineMs)).flatMap(({ event }) =>
        event ? [toStoredEvent(event)] : [],
      );
      const gap = after !== 0n && events[0]?.position !== after;
      return { events: gap ? events : events.slice(more), gap };
    },
    head: async () => {
      const reading = client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
      const [newest] = await collect(reading, defaultReadDeadlineMs);
      return newest?.event?.position.commit ?? 0n;
    },
    close: () => client.dispose(),
  };
}

/** The store filters by stream or by type: with types to leave out, the streams are sorted out here. */
function toClientFilter({ streamPrefixes, exceptTypes = [] }: LogFilter, onCheckpoint: (at: bigint) => void) {
  const checkpoints = {
    checkpointInterval: 1,
    checkpointReached: (_subscription: unknown, { commit, prepare }: { commit: bigint; prepare: bigint }) => {
      // A page without a match is reported by its start, with another prepare: no place to go on from.
      if (commit === prepare) onCheckpoint(commit);
    },
  };
  if (exceptTypes.length === 0) return streamNameFilter({ prefixes: [...streamPrefixes], ...checkpoints });
  if (!exceptTypes.every((type) => /^\w+$/.test(type))) throw new Error('a type to leave out is one word');
  return eventTypeFilter({ regex: `^(?!(?:${exceptTypes.join('|')})$)`, ...checkpoints });
}

/**
 * All that a read gives, to its end. The client ignores a deadline for reads, so this is where they end when the store
 * does not answer. What still comes then is taken and dropped: unread, it would hold the call open, and `close` with it.
 */
function collect<Resolved>(reading: StreamingRead<Resolved>, deadlineMs: number): Promise<Resolved[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Resolved[]>();
  const all: Resolved[] = [];
  const timer = setTimeout(() => {
    reject(new Error(`no answer from the event store within ${deadlineMs} ms`));
    reading.cancel().catch(() => undefined);
  }, deadlineMs);
  reading.on('data', (each: Resolved) => all.push(each));
  reading.on('end', () => {
    clearTimeout(timer);
    resolve(all);
  });
  reading.on('error', (error: unknown) => {
    clearTimeout(timer);
    reject(error);
  });
  return promise;
}
