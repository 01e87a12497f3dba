import { WrongExpectedVersionError } from '@eventstore/db-client';
import { appendWithKnownOutcome } from '#shared/event-store/append.ts';
import type {
  AppendRequest,
  EventStore,
  LogItem,
  ReadRequest,
  StoredEvent,
  SubscribeRequest,
} from '#shared/event-store/index.ts';
import { before } from './before.ts';
import type { Instance, Network } from './network.ts';

/** An event store's log in memory, with the behaviour that the gateway leans on: exact revisions, known event ids. */
export type Log = {
  append(request: AppendRequest): { revision: number; position: bigint };
  read(stream: string, request?: ReadRequest): StoredEvent[];
  /** So many events after a position, in the order of the log. */
  page(after: number, count: number): StoredEvent[];
  size(): number;
  /** Settles when something is appended after the position. */
  grown(after: number): Promise<void>;
};

/** Kept as text, so that no object is shared between who wrote it and who reads it. */
type Kept = Omit<StoredEvent, 'data' | 'metadata'> & { json: string };

export function createLog(): Log {
  const log: Kept[] = [];
  const streams = new Map<string, Kept[]>();
  let grown = Promise.withResolvers<void>();

  const toStored = ({ json, ...event }: Kept): StoredEvent => ({
    ...event,
    ...(JSON.parse(json) as Pick<StoredEvent, 'data' | 'metadata'>),
  });

  return {
    append: ({ stream, expectedRevision, events }) => {
      const there = streams.get(stream) ?? [];
      const head = there.length - 1;
      if (expectedRevision !== head) {
        const same = events.map((event, index) => {
          const known = there[expectedRevision + 1 + index];
          return known?.id === event.id ? known : undefined;
        });
        const last = same.at(-1);
        if (last && same.every((each) => each !== undefined))
          return { revision: last.revision, position: last.position };
        throw new WrongExpectedVersionError(undefined, {
          streamName: stream,
          current: head < 0 ? 'no_stream' : BigInt(head),
          expected: expectedRevision < 0 ? 'no_stream' : BigInt(expectedRevision),
        });
      }
      for (const { id, type, data, metadata } of events) {
        const kept: Kept = {
          id,
          type,
          stream,
          json: JSON.stringify({ data, metadata }),
          revision: there.length,
          position: BigInt(log.length + 1),
          created: new Date(),
        };
        there.push(kept);
        log.push(kept);
      }
      streams.set(stream, there);
      grown.resolve();
      grown = Promise.withResolvers();
      return { revision: there.length - 1, position: BigInt(log.length) };
    },
    read: (stream, { fromRevision, direction = 'forwards', maxCount = 10_000 } = {}) => {
      const there = streams.get(stream) ?? [];
      const found =
        direction === 'forwards'
          ? there.slice(fromRevision ?? 0, (fromRevision ?? 0) + maxCount)
          : there
              .slice(0, (fromRevision ?? there.length) + 1)
              .toReversed()
              .slice(0, maxCount);
      return found.map(toStored);
    },
    page: (after, count) => log.slice(after, after + count).map(toStored),
    size: () => log.length,
    grown: async (after) => {
      if (log.length <= after) await grown.promise;
    },
  };
}

const pageSize = 100;
const defaultDeadlineMs = 5_000;
/** When a connection on which nothing comes is taken for broken. */
const silenceMs = 10_000;

/** The log as an instance reaches it: what decides about outcomes is the gateway's own code. */
export function reachLog(log: Log, network: Network, from: Instance): EventStore {
  const call = <T>(effect: () => T) => network.call(from, { name: 'the log', hangs: true }, effect);
  const read = (stream: string, request: ReadRequest = {}) =>
    within(
      request.deadlineMs ?? defaultDeadlineMs,
      call(() => log.read(stream, request)),
    );
  return {
    append: (request) =>
      appendWithKnownOutcome({ append: (raw) => call(() => log.append(raw)), read }, request),
    read,
    readLog: ({ after, maxCount, deadlineMs = defaultDeadlineMs }) =>
      within(
        deadlineMs,
        call(() => ({ events: log.page(Number(after), maxCount), gap: Number(after) > log.size() })),
      ),
    head: () =>
      within(
        defaultDeadlineMs,
        call(() => BigInt(log.size())),
      ),
    subscribe: (request) => subscribe(log, call, request),
    close: async () => undefined,
  };
}

async function* subscribe(
  log: Log,
  call: <T>(effect: () => T) => Promise<T>,
  { after = 0n, filter, signal }: SubscribeRequest,
): AsyncGenerator<LogItem[]> {
  const ended = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => ended.resolve());
  let position = Number(after);
  let live = false;
  while (!signal.aborted) {
    if (live) await Promise.race([log.grown(position), ended.promise]);
    if (signal.aborted) return;
    const page = await Promise.race([
      within(
        silenceMs,
        call(() => log.page(position, pageSize)),
      ),
      ended.promise,
    ]);
    if (!page) return;
    const items = page.map((event): LogItem => {
      const wanted = filter?.streamPrefixes.some((prefix) => event.stream.startsWith(prefix)) ?? true;
      return wanted ? { kind: 'event', event } : { kind: 'checkpoint', position: event.position };
    });
    position += page.length;
    if (!live && page.length < pageSize) {
      live = true;
      items.push({ kind: 'caught_up' });
    }
    if (items.length > 0) yield items;
  }
}

/** As the client does it: a store that does not answer is an error, at the deadline. */
const within = <T>(deadlineMs: number, answer: Promise<T>): Promise<T> =>
  before(deadlineMs, answer, () => {
    throw new Error(`no answer from the event store within ${deadlineMs} ms`);
  });
