import { readRecordContent } from '../protocol/recorded-event.ts';
import type { ResolvedEvent } from '../protocol/read-responses.ts';
import type { EventLog } from '../storage/event-log.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import type { StreamDirectory, StreamState } from '../storage/stream-directory.ts';

type StreamPage =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'not_found' }
  | {
      readonly kind: 'page';
      readonly events: readonly RecordedEvent[];
      readonly head: number;
      /** Where the next page begins; undefined when there is none. */
      readonly next: number | undefined;
    };

export type StreamReader = ReturnType<typeof createStreamReader>;

type PageOptions = { readonly backwards: boolean; readonly limit: number };

/** Reads pages of a stream as its metadata allows, and follows links. */
export function createStreamReader(log: EventLog, streams: StreamDirectory) {
  /** Which events can be read, by $tb, $maxCount and $maxAge: from a revision on, since a time. */
  function findReadableRange(state: StreamState) {
    const { maxCount, maxAgeSeconds, truncateBefore = 0 } = streams.metadataOf(state);
    const byCount = maxCount === undefined ? 0 : state.head - maxCount + 1;
    return {
      fromRevision: Math.max(0, byCount, truncateBefore),
      sinceMs: maxAgeSeconds === undefined ? 0 : Date.now() - maxAgeSeconds * 1000,
    };
  }

  /** A page that begins at `revision`, inclusive. */
  function page(stream: string, revision: number, { backwards, limit }: PageOptions): StreamPage {
    const state = streams.get(stream);
    if (streams.isTombstoned(state)) return { kind: 'deleted' };
    if (state.head < 0 || streams.metadataOf(state).softDeleted) return { kind: 'not_found' };
    const { fromRevision, sinceMs } = findReadableRange(state);
    const { id, head } = state;
    const first = backwards ? Math.min(revision, head) : Math.max(revision, fromRevision);
    const events =
      first > head || first < fromRevision
        ? []
        : backwards
          ? log.streamBackwards(id, first, limit)
          : log.streamForwards(id, first, limit);
    const last = events.at(-1)?.revision;
    const next = last === undefined ? undefined : backwards ? last - 1 : last + 1;
    return {
      kind: 'page',
      events: events.filter(
        (event) => event.revision >= fromRevision && event.createdMs >= sinceMs,
      ),
      head,
      next: next === undefined || next > head || next < fromRevision ? undefined : next,
    };
  }

  /** The event that a link leads to, unless it can't be read any more. */
  function target(link: RecordedEvent): RecordedEvent | undefined {
    const address = parseLink(readRecordContent(link.record).data);
    if (address === undefined) return undefined;
    const result = page(address.stream, address.revision, { backwards: false, limit: 1 });
    const event = result.kind === 'page' ? result.events[0] : undefined;
    return event?.revision === address.revision ? event : undefined;
  }

  return {
    page,
    /** Revision of the stream's newest event, -1 without one. */
    head: (stream: string): number => streams.get(stream).head,
    resolve: (event: RecordedEvent, resolveLinks: boolean): ResolvedEvent =>
      resolveLinks && event.type === '$>' ? { event: target(event), link: event } : { event },
  };
}

type LinkTarget = { readonly stream: string; readonly revision: number };

/** Parses a `$>` event's data, `revision@stream`; undefined when it isn't one. */
export function parseLink(data: Buffer): LinkTarget | undefined {
  const match = /^(\d{1,15})@(.+)$/s.exec(data.toString('utf8'));
  return match === null ? undefined : { revision: Number(match[1]), stream: match[2] as string };
}
