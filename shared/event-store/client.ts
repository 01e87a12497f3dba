import { EventStoreDBClient } from '@eventstore/db-client';
import type { Metrics } from '#shared/http/metrics.ts';
import { appendWithKnownOutcome, type AppendEffort } from './append.ts';
import { createBatchAppend } from './batch-append/batch-append.ts';
import { observeAppends } from './metrics.ts';
import { collect } from './reading/collect.ts';
import type { ReadQuestion } from './reading/encode.ts';
import { createReads } from './reading/open.ts';
import { RecentStreams } from './recent-streams.ts';
import { SharedFeed } from './shared-feed.ts';
import { isStreamDeleted } from './stream-deleted.ts';
import { toStoredEvent } from './reading/stored-event.ts';
import { subscribeInBatches } from './reading/subscribe.ts';
import { traceAppends } from './trace.ts';
import type {
  AppendRequest,
  ErasableEventStore,
  LogFilter,
  ReadRequest,
  StoredEvent,
  SubscribeRequest,
} from './types.ts';

const defaultReadDeadlineMs = 5_000;
const tombstoneDeadlineMs = 10_000;

/**
 * The event store behind a connection string (contract §1, EVENT_STORE_URL), through the official client's
 * connection, with a codec of the gateway's own (docs/decisions/own-codec.md). With `metrics` it counts appends there.
 */
export function connectEventStore(
  connectionString: string,
  { metrics }: { metrics?: Metrics } = {},
): ErasableEventStore {
  const client = EventStoreDBClient.connectionString(connectionString);
  const rawAppend = createBatchAppend(client);

  const open = createReads(client);

  const read = async (stream: string, request: ReadRequest = {}): Promise<StoredEvent[]> => {
    const { direction = 'forwards', fromRevision, maxCount = 10_000 } = request;
    const from: ReadQuestion['from'] = fromRevision ?? (direction === 'backwards' ? 'end' : 'start');
    const question = { stream, from, direction, maxCount };
    return (await collect(open, question, request.deadlineMs ?? defaultReadDeadlineMs)).map(toStoredEvent);
  };

  const head = async () => {
    const question = { from: 'end', direction: 'backwards', maxCount: 1 } as const;
    const [newest] = await collect(open, question, defaultReadDeadlineMs);
    return BigInt(newest?.position ?? 0);
  };
  const subscribe = (request: SubscribeRequest) => {
    const { after, filter } = request;
    const question = { from: after ?? 'start', ...(filter && { filter: filterOf(filter) }) } as const;
    return subscribeInBatches(() => open(question), request);
  };
  const recent = new RecentStreams('operation-');
  const feed = new SharedFeed({ subscribe }, { onEvent: (event) => recent.take(event) });

  const append = (request: AppendRequest, effort?: AppendEffort) =>
    appendWithKnownOutcome({ append: rawAppend, read }, request, effort);

  return {
    append: traceAppends(metrics ? observeAppends(append, metrics) : (request) => append(request)),
    read,
    recent: (stream) => recent.events(stream),
    subscribe: (request) => feed.subscribe(request),
    readLog: async ({ after, maxCount, deadlineMs = defaultReadDeadlineMs }) => {
      // A read from a position begins with the event that stands there.
      const more = after === 0n ? 0 : 1;
      const question = { from: after === 0n ? 'start' : after, maxCount: maxCount + more } as const;
      const events = (await collect(open, question, deadlineMs)).map(toStoredEvent);
      const gap = after !== 0n && events[0]?.position !== after;
      return { events: gap ? events : events.slice(more), gap };
    },
    head,
    tombstone: (stream) =>
      client.tombstoneStream(stream, { expectedRevision: 'any', deadline: tombstoneDeadlineMs }).then(
        () => undefined,
        (error: unknown) => {
          if (!isStreamDeleted(error)) throw error;
        },
      ),
    close: () => client.dispose(),
  };
}

/** The store filters by stream or by type: with types to leave out, the streams are sorted out here. */
function filterOf({ streamPrefixes, exceptTypes = [] }: LogFilter): NonNullable<ReadQuestion['filter']> {
  if (exceptTypes.length === 0) return { streamPrefixes };
  if (!exceptTypes.every((type) => /^\w+$/.test(type))) throw new Error('a type to leave out is one word');
  return { typeRegex: `^(?!(?:${exceptTypes.join('|')})$)` };
}
