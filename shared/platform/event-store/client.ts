import type { Logger } from '#shared/platform/logging/logger.ts';
import { appendWithKnownOutcome, type AppendEffort } from './append.ts';
import { createBatchAppend } from './batch-append/batch-append.ts';
import { encodeAppend } from './batch-append/encode.ts';
import { clientConnection, type StoreConnection } from './connection.ts';
import { parseConnectionString } from './connection-string.ts';
import { createLogGate, LogIsClosed } from './log-gate.ts';
import { collectEvents } from './reading/collect.ts';
import type { RawEvent } from './reading/raw-event.ts';
import type { ReadQuestion } from './reading/encode.ts';
import type { OpenRead } from './reading/open.ts';
import { RecentStreams } from './recent-streams.ts';
import { SharedFeed } from './shared-feed.ts';
import { isStreamDeleted } from './store-unavailable.ts';
import { toStoredEvent } from './reading/stored-event.ts';
import { subscribeInBatches } from './reading/subscribe.ts';
import { createStoreLog } from './store-log.ts';
import { traceAppends } from './trace.ts';
import type { Verifier, VerifierPorts } from './verifier.ts';
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
  /** How long the store may take to answer a read that has no deadline of its own; 5 s. */
  readWithinMs?: number;
  /** Verifies what is decided upon. */
  verify?: {
    create(ports: VerifierPorts): Verifier;
    /** Also what comes from subscriptions; otherwise only what is read. */
    followed: boolean;
  };
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
    verify,
    readWithinMs = defaultReadDeadlineMs,
  }: ConnectOptions = {},
): ObservableEventStore {
  const log = createStoreLog(logger);
  const { read: open } = connection;
  const readRaw = (question: ReadQuestion & { maxCount: number }, deadlineMs = readWithinMs) =>
    log.watch(collectEvents(open, question, deadlineMs, log.onReturn));
  const guarded = { connection, readRaw, log, findVerifier: () => verifier, ...streams };
  const { append, gate } = createGuardedAppend(guarded);
  const verifier: Verifier | undefined = verify?.create(verifierPorts({ readRaw, append }));
  const { toEvent, readEvents, readLogged } = createDecodedReads(readRaw, verifier);
  const toFollowed = verify?.followed ? toEvent : toStoredEvent;

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
    const filter = request.filter && { filter: toReadFilter(request.filter) };
    const openAfter = async (after: bigint | undefined) => {
      await verifier?.ready();
      return open({ ...filter, from: after ?? 'start' });
    };
    const options = { lasting, onTooSlow: log.tooSlow, toEvent: toFollowed };
    return log.watchBatches(subscribeInBatches(openAfter, request, options));
  };
  const recent = new RecentStreams(streams.recent);
  const onEvent = (event: StoredEvent) => {
    recent.take(event);
    const { stream, revision, position } = event;
    onSeen({ stream, revision, position, read: () => event });
  };
  const feed = new SharedFeed({ subscribe }, { lasting, onEvent });

  return {
    append: traceAppends(verifier ? appendAfterKey(append, verifier) : append),
    read,
    recent: (stream) => recent.events(stream),
    subscribe: (request) => (request.dedicated ? subscribe(request) : feed.subscribe(request)),
    followed: (after) => feed.after(after),
    readLog: createReadLog({ readEvents: readLogged, onSeen }),
    head,
    tombstone: async (stream) => {
      await gate.pass();
      await log.watch(connection.tombstone(stream, tombstoneDeadlineMs)).catch(ignoreDeleted);
    },
    close: () => {
      verifier?.stop();
      return connection.close();
    },
  };
}

/** A repeat of a deletion changes nothing. */
function ignoreDeleted(error: unknown): void {
  if (!isStreamDeleted(error)) throw error;
}

type ReadRaw = (
  question: ReadQuestion & { maxCount: number },
  deadlineMs?: number,
) => Promise<RawEvent[]>;
type Append = (request: AppendRequest, effort?: AppendEffort) => Promise<AppendOutcome>;

/** Reads as events, whose signatures are verified when they are decoded. */
function createDecodedReads(readRaw: ReadRaw, verifier: Verifier | undefined) {
  const toEvent = verifier?.toStoredEvent ?? toStoredEvent;
  const read: ReadRaw = async (...request) => {
    await verifier?.ready();
    return readRaw(...request);
  };
  return {
    toEvent,
    readEvents: async (...request: Parameters<ReadRaw>) => (await read(...request)).map(toEvent),
    readLogged: async (...request: Parameters<ReadRaw>) =>
      (await read(...request)).map((event) => toLogged(event, toEvent)),
  };
}

const createReadLog =
  (of: {
    readEvents(...request: Parameters<ReadRaw>): Promise<LoggedEvent[]>;
    onSeen(event: LoggedEvent): void;
  }): EventStore['readLog'] =>
  async ({ after, maxCount, deadlineMs }) => {
    // A read from a position begins with the event at that position.
    const more = after === 0n ? 0 : 1;
    const question = { from: after === 0n ? 'start' : after, maxCount: maxCount + more } as const;
    const events = await of.readEvents(question, deadlineMs);
    for (const event of events) of.onSeen(event);
    const at = after !== 0n && events[0]?.position === after ? events.shift() : undefined;
    return { events, at, gap: after !== 0n && !at };
  };

/** More events than the store itself has written by then, before any of the gateway. */
const newLogEvents = 50;

const verifierPorts = (of: { readRaw: ReadRaw; append: Append }): VerifierPorts => ({
  read: (stream) => of.readRaw({ stream, from: 'start', maxCount: 10_000 }),
  append: (request) => of.append(request),
  isNew: async () => {
    const first = await of.readRaw({ from: 'start', maxCount: newLogEvents });
    return first.length < newLogEvents && first.every(({ stream }) => stream.startsWith('$'));
  },
});

/** Records the key that signs before the first append. */
const appendAfterKey =
  (append: Append, verifier: Pick<Verifier, 'beginToSign'>): Append =>
  async (request, effort) => {
    const cause = await verifier.beginToSign();
    return cause ? { outcome: 'unknown', cause } : append(request, effort);
  };

type GuardedClient = {
  connection: StoreConnection;
  readRaw: ReadRaw;
  log: Pick<ReturnType<typeof createStoreLog>, 'note' | 'closed' | 'onReturn'>;
  closing: LogStreams['closing'];
  /** It is made with what this client appends. */
  findVerifier(): Verifier | undefined;
};

/** More than moves of a log write, so that what others append there does not hide these. */
const closingEvents = 1_000;

/** Appends while the log is open. */
function createGuardedAppend({ connection, readRaw, log, closing, findVerifier }: GuardedClient) {
  const isTrusted = (event: RawEvent) => findVerifier()?.isTrusted(event) ?? true;
  // Perhaps a move has signed it, while keys are rotated.
  const isOfUnknownKey = (event: RawEvent) => findVerifier()?.isOfUnknownKey(event) ?? false;
  // Its own events are recognised by their ids.
  const read: EventStore['read'] = async (stream, { fromRevision = 0, maxCount = 1 } = {}) =>
    (await readRaw({ stream, from: fromRevision, maxCount })).map(toStoredEvent);
  const rawAppend = createBatchAppend(connection.appendCalls, encodeAppend);
  const newest = {
    stream: closing.stream,
    from: 'end',
    direction: 'backwards',
    maxCount: closingEvents,
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
      const events = await collectEvents(noting, newest, defaultReadDeadlineMs, log.onReturn);
      const event = events.find((each) => isTrusted(each) || isOfUnknownKey(each));
      if (!event && events.length === closingEvents)
        throw new Error(`no service has signed the newest events of the stream ${newest.stream}`);
      if (event && isOfUnknownKey(event))
        throw new Error(
          `LOG_SIGNING_KEYS lacks the key that signed the newest event of the stream ${newest.stream}`,
        );
      return { closed: closing.isClosedBy(event?.type), storeMs };
    },
    { onChange: log.closed },
  );
  const appendIfOpen = async (request: AppendRequest) => {
    if (request.stream === closing.stream) return rawAppend(request);
    return rawAppend({ ...request, beginUntilMs: await gate.pass() });
  };
  const append: Append = async (request, effort) => {
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

function toLogged(event: RawEvent, toEvent: typeof toStoredEvent): LoggedEvent {
  const { stream, revision, position } = event;
  return { stream, revision, position: BigInt(position), read: () => toEvent(event) };
}

/**
 * The store filters by stream or by type, not both: if types are excluded, the streams are filtered
 * here.
 */
function toReadFilter({
  streamPrefixes,
  exceptTypes = [],
}: LogFilter): NonNullable<ReadQuestion['filter']> {
  if (exceptTypes.length === 0) return { streamPrefixes };
  if (!exceptTypes.every((type) => /^\w+$/.test(type)))
    throw new Error('a type to leave out may only have letters, digits and _');
  return { typeRegex: `^(?!(?:${exceptTypes.join('|')})$)` };
}
