import type { From, LogPosition } from '../protocol/read-request.ts';
import { createPageSizer } from '../protocol/paced-sending.ts';
import { checkpointFrame } from '../protocol/read-responses.ts';
import { NODE_STREAM_ID } from '../storage/stored-event.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import { PAGE_EVENTS } from './checkpoints.ts';
import type { CheckpointSchedule } from './checkpoints.ts';
import type { EventFilter } from './event-filter.ts';
import type { LiveListener } from './paced-listener.ts';
import type { CatchUpStep, SubscriptionSource } from './run-subscription.ts';

export type FilterPlan = {
  readonly matches: EventFilter;
  /** Events that are searched for each page of the catch-up. */
  readonly window: number;
  readonly checkpoints: CheckpointSchedule;
};

type AllSourceOptions = {
  readonly from: From<LogPosition>;
  readonly filtering: FilterPlan | undefined;
  /** Records from a position on, hidden ones too. */
  readonly records: (position: number, limit: number) => readonly RecordedEvent[];
  readonly logEnd: () => number;
  readonly frameOf: (event: RecordedEvent) => Buffer;
  readonly listen: (listener: LiveListener) => () => void;
};

/** Events that are read in one turn, so that appends and other readers don't wait longer. */
const SEARCH_EVENTS = 256;

/** The part of a search window that was read so far. */
type SearchPage = {
  considered: number;
  matches: number;
  start: LogPosition | undefined;
  lastMatch: number | undefined;
};

const emptyPage = (): SearchPage => ({
  considered: 0,
  matches: 0,
  start: undefined,
  lastMatch: undefined,
});

function findCheckpoint(
  { considered, start, lastMatch }: SearchPage,
  checkpoints: CheckpointSchedule,
): LogPosition | undefined {
  return start === undefined ? undefined : checkpoints.afterPage({ considered, start, lastMatch });
}

/** The source of a subscription to $all, filtered or not. */
export function createAllSource(options: AllSourceOptions): SubscriptionSource {
  const { from, filtering, records, frameOf } = options;
  let next = firstPosition(options);
  let isFirstPage = true;
  let searchEvents = SEARCH_EVENTS;
  let page = emptyPage();
  const pages = createPageSizer();

  const isWanted = (event: RecordedEvent): boolean =>
    event.streamId > NODE_STREAM_ID && filtering?.matches(event) !== false;

  function catchUpUnfiltered(): CatchUpStep {
    const limit = pages.limit();
    const events = records(next, limit);
    next = afterLast(events, next);
    const frames = events.filter(isWanted).map(frameOf);
    pages.adjust(frames);
    return { frames, state: events.length < limit ? 'caught_up' : 'more' };
  }

  /**
   * Reads a part of a search window. The window has as many events as the client asked for, or as
   * many as bring one page of matches. The node decides how many are read in one turn.
   */
  function catchUpFiltered({ window, checkpoints }: FilterPlan): CatchUpStep {
    const limit = Math.min(window - page.considered, searchEvents);
    const events = records(next, limit);
    page.start ??= startOfPage(events[0]);
    const { considered, matching } = takeMatches(events, PAGE_EVENTS - page.matches, isWanted);
    page.considered += considered.length;
    page.matches += matching.length;
    page.lastMatch = matching.at(-1)?.position ?? page.lastMatch;
    // Events after the last match of a page are read again for the next page.
    searchEvents = considered.length < events.length ? enoughFor(page.considered) : SEARCH_EVENTS;
    next = afterLast(considered, next);
    const isAtEnd = events.length < limit && considered.length === events.length;
    const frames = matching.map(frameOf);
    if (isAtEnd || page.considered >= window || page.matches >= PAGE_EVENTS) {
      const checkpoint = findCheckpoint(page, checkpoints);
      if (checkpoint !== undefined) frames.push(checkpointFrame(checkpoint));
      page = emptyPage();
    }
    return { frames, state: isAtEnd ? 'caught_up' : 'more' };
  }

  function startOfPage(first: RecordedEvent | undefined): LogPosition | undefined {
    if (!isFirstPage)
      return first === undefined ? undefined : { commit: first.position, prepare: 0 };
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

/** Where to continue reading, inclusive. */
function firstPosition({ from, logEnd }: AllSourceOptions): number {
  switch (from.kind) {
    case 'start':
      return 0;
    case 'end':
      return logEnd();
    case 'at': {
      // A checkpoint at the start of a page has no prepare position: it is before the record at
      // that position.
      const { commit, prepare } = from.at;
      return Math.min(prepare < commit ? commit : commit + 1, Number.MAX_SAFE_INTEGER);
    }
  }
}

function afterLast(events: readonly RecordedEvent[], otherwise: number): number {
  const last = events.at(-1);
  return last === undefined ? otherwise : last.position + 1;
}

type SearchResult = {
  readonly considered: readonly RecordedEvent[];
  readonly matching: readonly RecordedEvent[];
};

/** The first `limit` matches among `events`, and how many events were searched for them. */
function takeMatches(
  events: readonly RecordedEvent[],
  limit: number,
  isWanted: EventFilter,
): SearchResult {
  const matching: RecordedEvent[] = [];
  for (const [index, event] of events.entries()) {
    if (!isWanted(event)) continue;
    matching.push(event);
    if (matching.length === limit) return { considered: events.slice(0, index + 1), matching };
  }
  return { considered: events, matching };
}
