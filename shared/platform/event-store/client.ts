import type { Logger } from '#shared/platform/logging/logger.ts';
import { appendWithKnownOutcome, type AppendEffort } from './append.ts';
import { createBatchAppend } from './batch-append/batch-append.ts';
import { encodeAppend } from './batch-append/encode.ts';
import { clientConnection, type StoreConnection } from './connection.ts';
import { parseConnectionString } from './connection-string.ts';
import { createLogGate, LogIsClosed } from './log-gate.ts';
import { collect } from './reading/collect.ts';
import type { ReadQuestion } from './reading/encode.ts';
import type { OpenRead } from './reading/open.ts';
import { RecentStreams } from './recent-streams.ts';
import { SharedFeed } from './shared-feed.ts';
import { isStreamDeleted } from './store-unavailable.ts';
import { toStoredEvent } from './reading/stored-event.ts';
import { subscribeInBatches } from './reading/subscribe.ts';
import { createStoreLog } from './store-log.ts';
import { traceAppends } from './trace.ts';
import type {
  AppendOutcome,
  AppendRequest,
  ErasableEventStore,
  EventStore,
  LogFilter,
  LoggedEvent,
  ReadRequest,
  StoredEvent,
  SubscribeRequest,
} from './types.ts';

const defaultReadDeadlineMs = 5_000;
const tombstoneDeadlineMs = 10_000;

/** The client's knowledge of the streams of its log. */
type LogStreams = {
  /** Prefixes of streams whose events are cached from their first on: `EventStore.recent`. */
  readonly recent: readonly string[];
  /** Prefixes of streams whose events identify a position, because they are never removed. */
  readonly lasting: readonly string[];
  /** The stream that closes the log to appends, by the type of its newest event. */
  readonly closing: {
    readonly stream: string;
    readonly isClosedBy: (newest: string | undefined) => boolean;
  };
};

export type ConnectOptions = {
  /** Logs outages of the store once, instead of one line per caller. */
  logger?: Pick<Logger, 'warn' | 'info'>;
  /** Called with each event that this process receives from the feed or reads from the log. */
  onSeen?(event: LoggedEvent): void;
  /** Used instead of the connection string by a process that contains the event store. */
  connection?: StoreConnection | undefined;
};

/** Reports the effort of each append, for metrics. */
export type ObservableEventStore = ErasableEventStore & {
  append(request: AppendRequest, effort?: AppendEffort): Promise<AppendOutcome>;
};

/** The event store behind a connection string; its codec: docs/decisions/own-codec.md. */
export function createEventStoreClient(
  connectionString: string,
  streams: LogStreams,
  {
    logger,
    onSeen = () => undefined,
    connection = clientConnection(parseConnectionString(connectionString)),
  }: ConnectOptions = {},
): ObservableEventStore {
  const log = createStoreLog(logger);
  const { read: open } = connection;
  const readEvents = async (
    question: ReadQuestion & { maxCount: number },
    deadlineMs = defaultReadDeadlineMs,
  ) => (await log.watch(collect(open, question, deadlineMs, log.onReturn))).map(toStoredEvent);

  const read = async (stream: string, request: ReadRequest = {}): Promise<StoredEvent[]> => {
    const { direction = 'forwards', fromRevision, maxCount = 10_000 } = request;
    const from = fromRevision ?? (direction === 'backwards' ? 'end' : 'start');
    return readEvents({ stream, from, direction, maxCount }, request.deadlineMs);
  };

  const head = async () => {
    const question = { from: 'end', direction: 'backwards', maxCount: 1 } as const;
    const [newest] = await readEvents(question);
    return newest?.position ?? 0n;
  };
  const { lasting } = streams;
  const subscribe = (request: SubscribeRequest) => {
    const filter = request.filter && { filter: filterOf(request.filter) };
    const openAfter = (after: bigint | undefined) => open({ ...filter, from: after ?? 'start' });
    const batches = subscribeInBatches(openAfter, request, { lasting, onTooSlow: log.tooSlow });
    return log.watchBatches(batches);
  };
  const recent = new RecentStreams(streams.recent);
  const onEvent = (event: StoredEvent) => {
    recent.take(event);
    const { stream, revision, position } = event;
    onSeen({ stream, revision, position, read: () => event });
  };
  const feed = new SharedFeed({ subscribe }, { lasting, onEvent });

  const { append, gate } = createGuardedAppend({ connection, read, log, closing: streams.closing });
  return {
    append: traceAppends(append),
    read,
    recent: (stream) => recent.events(stream),
    subscribe: (request) => (request.dedicated ? subscribe(request) : feed.subscribe(request)),
    followed: (after) => feed.after(after),
    readLog: async ({ after, maxCount, deadlineMs = defaultReadDeadlineMs }) => {
      // A read from a position begins with the event at that position.
      const more = after === 0n ? 0 : 1;
      const question = { from: after === 0n ? 'start' : after, maxCount: maxCount + more } as const;
      const raw = await log.watch(collect(open, question, deadlineMs, log.onReturn));
      const events = raw.map(toLogged);
      for (const event of events) onSeen(event);
      const gap = after !== 0n && events[0]?.position !== after;
      return { events: gap ? events : events.slice(more), gap };
    },
    head,
    tombstone: async (stream) => {
      await gate.pass();
      const deleted = connection.tombstone(stream, tombstoneDeadlineMs);
      await log.watch(deleted).catch((error: unknown) => {
        if (!isStreamDeleted(error)) throw error;
      });
    },
    close: () => connection.close(),
  };
}

type Guarded = {
  connection: StoreConnection;
  read: EventStore['read'];
  log: Pick<ReturnType<typeof createStoreLog>, 'note' | 'closed' | 'onReturn'>;
  closing: LogStreams['closing'];
};

/** Appends while the log is open. */
function createGuardedAppend({ connection, read, log, closing }: Guarded) {
  const rawAppend = createBatchAppend(connection.appendCalls, encodeAppend);
  const newest = {
    stream: closing.stream,
    from: 'end',
    direction: 'backwards',
    maxCount: 1,
  } as const;
  const gate = createLogGate(
    async () => {
      let storeMs: number | undefined;
      const noting: OpenRead = async (question) => {
        const call = await connection.read(question);
        call.on('metadata', (headers) => {
          const at = Date.parse(String(headers.get('date')[0]));
          if (Number.isFinite(at)) storeMs = at;
        });
        return call;
      };
      const [event] = await collect(noting, newest, defaultReadDeadlineMs, log.onReturn);
      return { closed: closing.isClosedBy(event?.type), storeMs };
    },
    { onChange: log.closed },
  );
  const appendIfOpen = async (request: AppendRequest) => {
    if (request.stream === closing.stream) return rawAppend(request);
    return rawAppend({ ...request, beginUntilMs: await gate.pass() });
  };
  const append = async (request: AppendRequest, effort?: AppendEffort): Promise<AppendOutcome> => {
    if (request.stream !== closing.stream && gate.isClosed()) {
      const cause = new LogIsClosed();
      log.note(cause);
      return { outcome: 'unknown', cause };
    }
    const appended = await appendWithKnownOutcome({ append: appendIfOpen, read }, request, effort);
    log.note(appended.outcome === 'unknown' ? appended.cause : undefined);
    return appended;
  };
  return { append, gate };
}

type RawEvent = Parameters<typeof toStoredEvent>[0];

function toLogged(event: RawEvent): LoggedEvent {
  const { stream, revision, position } = event;
  return { stream, revision, position: BigInt(position), read: () => toStoredEvent(event) };
}

/**
 * The store filters by stream or by type, not both: if types are excluded, the streams are filtered
 * here.
 */
function filterOf({
  streamPrefixes,
  exceptTypes = [],
}: LogFilter): NonNullable<ReadQuestion['filter']> {
  if (exceptTypes.length === 0) return { streamPrefixes };
  if (!exceptTypes.every((type) => /^\w+$/.test(type)))
    throw new Error('a type to leave out may only have letters, digits and _');
  return { typeRegex: `^(?!(?:${exceptTypes.join('|')})$)` };
}
