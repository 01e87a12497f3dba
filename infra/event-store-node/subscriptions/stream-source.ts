import { streamDeletedStatus } from '../protocol/grpc-status.ts';
import { createPageSizer } from '../protocol/paced-sending.ts';
import type { From } from '../protocol/read-request.ts';
import { TOMBSTONE_REVISION } from '../storage/stored-event.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import type { StreamReader } from '../streams/stream-reader.ts';
import type { LiveListener } from './paced-listener.ts';
import type { SubscriptionSource } from './run-subscription.ts';

type StreamSourceOptions = {
  readonly stream: string;
  readonly from: From<number>;
  readonly reader: StreamReader;
  readonly frameOf: (event: RecordedEvent) => Buffer;
  readonly listen: (listener: LiveListener) => () => void;
};

/** The source of a subscription to one stream. */
export function createStreamSource(options: StreamSourceOptions): SubscriptionSource {
  const { stream, from, reader, frameOf } = options;
  let next = firstRevision(options);
  const pages = createPageSizer();

  return {
    listen: options.listen,
    catchUp() {
      const page = reader.page(stream, next, { backwards: false, limit: pages.limit() });
      if (page.kind === 'deleted')
        return { frames: [], state: 'caught_up', end: streamDeletedStatus(stream) };
      if (page.kind === 'not_found')
        return { frames: [], state: from.kind === 'end' ? 'caught_up' : 'absent' };
      const frames = page.events.map(frameOf);
      pages.adjust(frames);
      if (page.next !== undefined) {
        next = page.next;
        return { frames, state: 'more' };
      }
      next = Math.max(next, page.head + 1);
      return { frames, state: 'caught_up' };
    },
    live(events) {
      const frames: Buffer[] = [];
      for (const { event } of events) {
        if (event.revision < next) continue;
        frames.push(frameOf(event));
        if (event.revision === TOMBSTONE_REVISION)
          return { frames, end: streamDeletedStatus(stream) };
        next = event.revision + 1;
      }
      return { frames };
    },
  };
}

function firstRevision({ from, reader, stream }: StreamSourceOptions): number {
  switch (from.kind) {
    case 'start':
      return 0;
    case 'end':
      return reader.head(stream) + 1;
    case 'at':
      return Math.min(from.at + 1, TOMBSTONE_REVISION);
  }
}
