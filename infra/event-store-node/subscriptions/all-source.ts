import type { From, LogPosition } from '../protocol/read-request.ts';
import { createPageSizer } from '../protocol/paced-sending.ts';
import { checkpointFrame } from '../protocol/read-responses.ts';
import { NODE_STREAM_ID } from '../storage/stored-event.ts';
import type { StoredEvent } from '../storage/stored-event.ts';
import { PAGE_EVENTS } from './checkpoints.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { EventFilter } from './event-filter.ts';
import type { LiveListener } from './live-events.ts';
import type { CatchUpStep, SubscriptionSource } from './run-subscription.ts';

export type Filtering = {
  readonly matches: EventFilter;
  /** Events considered per page of the catch-up. */
  readonly window: number;
  readonly checkpoints: Checkpoints;
};

export type AllSourceOptions = {
  readonly from: From<LogPosition>;
  readonly filtering: Filtering | undefined;
  /** Records from a position on, hidden ones too. */
  readonly records: (position: number, limit: number) => readonly StoredEvent[];
  readonly logEnd: () => number;
  readonly frameOf: (event: StoredEvent) => Buffer;
  readonly listen: (listener: LiveListener) => () => void;
};

const SEARCH_EVENTS = 256;

/** $all as something to subscribe to, filtered or not. */
export function createAllSource(options: AllSourceOptions): SubscriptionSource {
  const { from, filtering, records, frameOf } = options;
  let next = firstPosition(options);
  let isFirstPage = true;
  let searchEvents = SEARCH_EVENTS;
  const pages = createPageSizer();

  const isWanted = (event: StoredEvent): boolean =>
    event.streamId > NODE_STREAM_ID && filtering?.matches(event) !== false;

  function catchUpUnfiltered(): CatchUpStep {
    const limit = pages.limit();
    const found = records(next, limit);
    next = afterLast(found, next);
    const frames = found.filter(isWanted).map(frameOf);
    pages.learn(frames);
    return { frames, state: found.length < limit ? 'caught_up' : 'more' };
  }

  /** One search window: as many events looked at as the client allows, or one page full of matches. */
  function catchUpFiltered({ window, checkpoints }: Filtering): CatchUpStep {
    const frames: Buffer[] = [];
    let considered = 0;
    let start: LogPosition | undefined;
    let lastMatch: number | undefined;
    let isAtEnd = false;
    while (!isAtEnd && considered < window && frames.length < PAGE_EVENTS) {
      const limit = Math.min(window - considered, searchEvents);
      const found = records(next, limit);
      start ??= startOfPage(found[0]);
      const searched = takeMatches(found, PAGE_EVENTS - frames.length, isWanted);
      considered += searched.considered.length;
      // What is read past the last match of a page is read again for the next.
      searchEvents = searched.considered.length < found.length ? enoughFor(considered) : SEARCH_EVENTS;
      frames.push(...searched.matching.map(frameOf));
      lastMatch = searched.matching.at(-1)?.position ?? lastMatch;
      next = afterLast(searched.considered, next);
      isAtEnd = found.length < limit && searched.considered.length === found.length;
    }
    const checkpoint =
      start === undefined ? undefined : checkpoints.afterPage({ considered, start, lastMatch });
    if (checkpoint !== undefined) frames.push(checkpointFrame(checkpoint));
    return { frames, state: isAtEnd ? 'caught_up' : 'more' };
  }

  function startOfPage(first: StoredEvent | undefined): LogPosition | undefined {
    if (!isFirstPage) return first === undefined ? undefined : { commit: first.position, prepare: 0 };
    isFirstPage = false;
    return from.kind === 'at' ? from.at : { commit: 0, prepare: 0 };
  }

  return {
    listen: options.listen,
    catchUp: () => (filtering === undefined ? catchUpUnfiltered() : catchUpFiltered(filtering)),
    live(events) {
      const frames: Buffer[] = [];
      for (const { event } of events) {
        if (event.position < next) continue;
        next = event.position + 1;
        if (isWanted(event)) frames.push(frameOf(event));
        const checkpoint = filtering?.checkpoints.afterLive(event.position);
        if (checkpoint !== undefined) frames.push(checkpointFrame(checkpoint));
      }
      return { frames };
    },
  };
}

/** How many events to read for a page of matches, by how many the last one took. */
const enoughFor = (considered: number): number =>
  Math.min(SEARCH_EVENTS, Math.max(PAGE_EVENTS, Math.ceil(considered * 1.25)));

/** Where to go on reading, inclusive. */
function firstPosition({ from, logEnd }: AllSourceOptions): number {
  switch (from.kind) {
    case 'start':
      return 0;
    case 'end':
      return logEnd();
    case 'at': {
      // A checkpoint at the start of a page has no prepare position: it comes before the record that is there.
      const { commit, prepare } = from.at;
      return Math.min(prepare < commit ? commit : commit + 1, Number.MAX_SAFE_INTEGER);
    }
  }
}

function afterLast(events: readonly StoredEvent[], otherwise: number): number {
  const last = events.at(-1);
  return last === undefined ? otherwise : last.position + 1;
}

type Searched = { readonly considered: readonly StoredEvent[]; readonly matching: readonly StoredEvent[] };

/** The matches among `found`, and how far one had to look, if `limit` matches are enough. */
function takeMatches(found: readonly StoredEvent[], limit: number, isWanted: EventFilter): Searched {
  const matching: StoredEvent[] = [];
  for (const [index, event] of found.entries()) {
    if (!isWanted(event)) continue;
    matching.push(event);
    if (matching.length === limit) return { considered: found.slice(0, index + 1), matching };
  }
  return { considered: found, matching };
}
