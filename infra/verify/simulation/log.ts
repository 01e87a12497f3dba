import { WrongExpectedVersionError } from '@eventstore/db-client';
import { setTimeout as delay } from 'node:timers/promises';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { appendWithKnownOutcome } from '#shared/platform/event-store/append.ts';
import type {
  AppendRequest,
  EventStore,
  LogItem,
  ReadRequest,
  StoredEvent,
  SubscribeRequest,
} from '#shared/platform/event-store/index.ts';
import { logStreams } from '#shared/domain/log/streams.ts';
import { isWanted, passedItem } from '#shared/platform/event-store/checkpoint.ts';
import { RecentStreams } from '#shared/platform/event-store/recent-streams.ts';
import { SharedFeed } from '#shared/platform/event-store/shared-feed.ts';
import { before } from './before.ts';
import type { Instance, Network } from './network.ts';

export type SimulatedLog = ReturnType<typeof createLog>;

/** Stored as text, so that writers and readers share no objects. */
type StoredRecord = { event: StoredEvent; data: string; metadata: string; storedMs: number };

/**
 * An event store's log in memory, with the semantics that the gateway relies on: exact revisions,
 * known event ids.
 */
export function createLog() {
  const log: StoredRecord[] = [];
  const streams = new Map<string, StoredRecord[]>();
  let grown = Promise.withResolvers<void>();

  return {
    append: ({ stream, expectedRevision, events }: AppendRequest) => {
      const there = streams.get(stream) ?? [];
      const head = there.length - 1;
      if (expectedRevision !== head) {
        const same = repeated(there, { expectedRevision, events });
        if (same) return same;
        throw new WrongExpectedVersionError(undefined, {
          streamName: stream,
          current: head < 0 ? 'no_stream' : BigInt(head),
          expected: expectedRevision < 0 ? 'no_stream' : BigInt(expectedRevision),
        });
      }
      for (const event of events) {
        const place = { stream, revision: there.length, position: BigInt(log.length + 1) };
        const stored = keep(event, place);
        there.push(stored);
        log.push(stored);
      }
      streams.set(stream, there);
      grown.resolve();
      grown = Promise.withResolvers();
      return { revision: there.length - 1, position: BigInt(log.length) };
    },
    /** `asOfMs`: the state at that time, by the simulation's `performance.now()`. */
    read: (stream: string, request: ReadRequest & { asOfMs?: number } = {}) => {
      const { fromRevision, direction = 'forwards', maxCount = 10_000, asOfMs } = request;
      const there = eventsUntil(streams.get(stream) ?? [], asOfMs);
      const found =
        direction === 'forwards'
          ? there.slice(fromRevision ?? 0, (fromRevision ?? 0) + maxCount)
          : there
              .slice(0, (fromRevision ?? there.length) + 1)
              .toReversed()
              .slice(0, maxCount);
      return found.map(({ event }) => event);
    },
    /** A page of events after a position, in the log's order. */
    page: (after: number, count: number, asOfMs?: number) =>
      eventsUntil(log.slice(after, after + count), asOfMs).map(({ event }) => event),
    /** All of it as an auditor reads it. */
    audited: (): RawEvent[] =>
      log.map(({ event, data, metadata }) => ({
        position: Number(event.position),
        stream: event.stream,
        revision: event.revision,
        id: event.id,
        type: event.type,
        contentType: 'application/json',
        createdTicks: `${event.created.getTime()}0000`,
        data: Buffer.from(data),
        metadata: Buffer.from(metadata),
      })),
    size: () => log.length,
    /** The position of the newest event in streams of these prefixes; 0 if there is none. */
    newestOf: (prefixes: readonly string[]) =>
      log.findLast(({ event }) => prefixes.some((prefix) => event.stream.startsWith(prefix)))?.event
        .position ?? 0n,
    /** Settles when something is appended after the position. */
    grown: async (after: number) => {
      if (log.length <= after) await grown.promise;
    },
  };
}

type NewEvents = AppendRequest['events'];

/** The position of the same events, if they are in the log already. */
function repeated(
  there: readonly StoredRecord[],
  { expectedRevision, events }: Pick<AppendRequest, 'expectedRevision' | 'events'>,
): { revision: number; position: bigint } | undefined {
  const same = events.map((event, index) => {
    const known = there[expectedRevision + 1 + index];
    return known?.event.id === event.id ? known.event : undefined;
  });
  const last = same.at(-1);
  if (!last || !same.every((each) => each !== undefined)) return undefined;
  return { revision: last.revision, position: last.position };
}

function keep(
  { id, type, ...content }: NewEvents[number],
  place: Pick<StoredEvent, 'stream' | 'revision' | 'position'>,
): StoredRecord {
  const [data, metadata] = [JSON.stringify(content.data), JSON.stringify(content.metadata)];
  const event: StoredEvent = {
    id,
    type,
    ...place,
    data: frozen(JSON.parse(data)),
    metadata: frozen(JSON.parse(metadata) as StoredEvent['metadata']),
    created: new Date(),
  };
  return { event, data, metadata, storedMs: performance.now() };
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** The events by then: the log is append-only. */
function eventsUntil(
  events: readonly StoredRecord[],
  asOfMs: number | undefined,
): readonly StoredRecord[] {
  if (asOfMs === undefined) return events;
  const newest = events.findLastIndex(({ storedMs }) => storedMs <= asOfMs);
  return events.slice(0, newest + 1);
}

/**
 * How far a process's reads lag behind the store's leader: its subscriptions, and its reads of
 * streams where that is allowed.
 */
export type SimulatedLag = { ofStreamsMs: number; ofSubscriptionsMs: number };

const pageSize = 100;
const defaultDeadlineMs = 5_000;
/** When a silent connection counts as broken. */
const silenceMs = 10_000;

/** The log as seen by an instance; outcomes are decided by the gateway's own code. */
export function reachLog(
  log: SimulatedLog,
  network: Network,
  { from, lag }: { from: Instance; lag: SimulatedLag },
): EventStore {
  const call = <T>(effect: () => T) => network.call(from, { name: 'the log', hangs: true }, effect);
  const read = (stream: string, request: ReadRequest = {}) =>
    within(
      request.deadlineMs ?? defaultDeadlineMs,
      call(() => {
        const behind = lag.ofStreamsMs > 0 && { asOfMs: performance.now() - lag.ofStreamsMs };
        return log.read(stream, { ...request, ...behind });
      }),
    );
  const head = () =>
    within(
      defaultDeadlineMs,
      call(() => BigInt(log.size())),
    );
  const recent = new RecentStreams(['operation-']);
  const feed = new SharedFeed(
    { subscribe: (request) => subscribe({ log, call, lagMs: lag.ofSubscriptionsMs }, request) },
    { capacity: 50, lasting: logStreams.lasting, onEvent: (event) => recent.take(event) },
  );
  return {
    append: (request) =>
      appendWithKnownOutcome({ append: (raw) => call(() => log.append(raw)), read }, request),
    read,
    recent: (stream) => recent.events(stream),
    readLog: ({ after, maxCount, deadlineMs = defaultDeadlineMs }) =>
      within(
        deadlineMs,
        call(() => ({
          events: log
            .page(Number(after), maxCount)
            .map((event) => ({ ...event, read: () => event })),
          gap: Number(after) > log.size(),
        })),
      ),
    followed: (after) => feed.after(after),
    head,
    subscribe: (request) => feed.subscribe(request),
    close: async () => undefined,
  };
}

async function* subscribe(
  {
    log,
    call,
    lagMs,
  }: { log: SimulatedLog; call: <T>(effect: () => T) => Promise<T>; lagMs: number },
  { after = 0n, filter, signal }: SubscribeRequest,
): AsyncGenerator<LogItem[]> {
  const ended = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => ended.resolve());
  let position = Number(after);
  let live = false;
  while (!signal.aborted) {
    if (live) await Promise.race([log.grown(position), ended.promise]);
    // By then most of the next events are old enough.
    if (live && lagMs > 0) await Promise.race([delay(lagMs), ended.promise]);
    if (signal.aborted) return;
    const page = await Promise.race([
      within(
        silenceMs,
        call(() => log.page(position, pageSize, performance.now() - lagMs)),
      ),
      ended.promise,
    ]);
    if (!page) return;
    const items = page.map((event): LogItem =>
      isWanted(event, filter)
        ? { kind: 'event', event }
        : passedItem(event, event.position, logStreams.lasting),
    );
    position += page.length;
    if (!live && page.length < pageSize) {
      live = true;
      items.push({ kind: 'caught_up' });
    }
    if (items.length > 0) yield items;
  }
}

/** As in the client: a store that does not answer is an error at the deadline. */
const within = <T>(deadlineMs: number, answer: Promise<T>): Promise<T> =>
  before(deadlineMs, answer, () => {
    throw new Error(`no answer from the event store within ${deadlineMs} ms`);
  });
