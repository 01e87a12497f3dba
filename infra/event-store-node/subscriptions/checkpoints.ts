import type { LogPosition } from '../protocol/read-request.ts';

/**
 * How many events one page of a catch-up may bring, and the size of its search window if the client
 * does not say.
 */
export const PAGE_EVENTS = 32;

/** When a filtered subscription sends its client a checkpoint. */
export type CheckpointSchedule = {
  /** After a page of the catch-up: the checkpoint to send, if one is due. */
  readonly afterPage: (page: SearchedPage) => LogPosition | undefined;
  /** After a live event, matching or not. */
  readonly afterLive: (position: number) => LogPosition | undefined;
};

type SearchedPage = {
  /** Events that were read, whether they matched or not. */
  readonly considered: number;
  /** Where the page began. */
  readonly start: LogPosition;
  /** Position of the last event that matched. */
  readonly lastMatch: number | undefined;
};

/**
 * One checkpoint each `intervalEvents` events considered, and at most one a page. A catch-up page's
 * checkpoint is its last match, else its start: resuming there brings the page again and loses
 * nothing.
 */
export function createCheckpoints(intervalEvents: number): CheckpointSchedule {
  let considered = 0;

  function isDue(count: number): boolean {
    considered += count;
    if (considered < intervalEvents) return false;
    considered %= intervalEvents;
    return true;
  }

  return {
    afterPage(page) {
      if (!isDue(page.considered)) return undefined;
      if (page.lastMatch === undefined) return page.start;
      return { commit: page.lastMatch, prepare: page.lastMatch };
    },
    afterLive: (position) => (isDue(1) ? { commit: position, prepare: position } : undefined),
  };
}
