import { setImmediate as turn } from 'node:timers/promises';
import type {
  AppendRequest,
  EventStore,
  NewEvent,
  StoredEvent,
} from '#shared/platform/event-store/index.ts';

/** One call: turns of the event loop before and after it, and its fault. */
export type Step = {
  before: number;
  after: number;
  fault: 'none' | 'reply lost' | 'request lost' | 'request late' | 'read fails';
};

const fine: Step = { before: 0, after: 0, fault: 'none' };

export type FaultyStore = Pick<EventStore, 'append' | 'read'> & {
  /** All streams, in the log's order. */
  readonly log: readonly StoredEvent[];
  /** The log's newest position. */
  head(): bigint;
  counts: { appends: number; reads: number; eventsRead: number };
  /** Writes without checks, as another process or a bug might. */
  force(stream: string, events: readonly NewEvent[]): void;
};

const turns = async (count: number) => {
  for (let done = 0; done < count; done += 1) await turn();
};

type Question = NonNullable<Parameters<EventStore['read']>[1]>;

function pageOf(
  stored: readonly StoredEvent[],
  { fromRevision, direction = 'forwards', maxCount = 10_000 }: Question,
): StoredEvent[] {
  if (direction === 'forwards') {
    const from = fromRevision ?? 0;
    return stored.slice(from, from + maxCount);
  }
  const from = fromRevision ?? stored.length - 1;
  return stored
    .slice(0, from + 1)
    .toReversed()
    .slice(0, maxCount);
}

/**
 * A store in memory with exact revisions, as seen through its client: an append with an unknown
 * outcome may have been written, may never be, or may be written later. Each call uses up one step;
 * after the last one nothing fails.
 */
export function faultyStore(steps: readonly Step[] = []): FaultyStore {
  const log: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const late: AppendRequest[] = [];
  const counts = { appends: 0, reads: 0, eventsRead: 0 };
  let calls = 0;

  const next = (): Step => steps[calls++] ?? fine;
  const force = (stream: string, events: readonly NewEvent[]) => {
    const stored = streams.get(stream) ?? [];
    streams.set(stream, stored);
    for (const event of events) {
      // With gaps, as in a real log.
      const position = BigInt(log.length) * 3n + 7n;
      const data: unknown = JSON.parse(JSON.stringify(event.data));
      stored.push({
        ...event,
        data,
        stream,
        revision: stored.length,
        position,
        created: new Date(0),
      });
      log.push(stored.at(-1) as StoredEvent);
    }
  };
  const write = ({ stream, expectedRevision, events }: AppendRequest): boolean => {
    if ((streams.get(stream)?.length ?? 0) - 1 !== expectedRevision) return false;
    force(stream, events);
    return true;
  };

  return {
    log,
    head: () => log.at(-1)?.position ?? 0n,
    counts,
    force,
    append: async (request) => {
      const { before, after, fault } = next();
      counts.appends += 1;
      await turns(before);
      for (const waited of late.splice(0)) write(waited);
      if (fault === 'request late') late.push(request);
      const lost = fault === 'request lost' || fault === 'request late';
      const written = !lost && write(request);
      const actualRevision = (streams.get(request.stream)?.length ?? 0) - 1;
      const position = log.at(-1)?.position ?? 0n;
      await turns(after);
      if (lost || (written && fault === 'reply lost'))
        return { outcome: 'unknown', cause: new Error(fault) };
      return written
        ? { outcome: 'appended', revision: actualRevision, position }
        : { outcome: 'conflict', actualRevision };
    },
    read: async (stream, question = {}) => {
      const { before, after, fault } = next();
      counts.reads += 1;
      await turns(before);
      if (fault === 'read fails') throw new Error('the store is away');
      const events = pageOf(streams.get(stream) ?? [], question);
      counts.eventsRead += events.length;
      await turns(after);
      return events;
    },
  };
}
