import type { EventStore, LoggedEvent } from './types.ts';

export type LogPoll = {
  /**
   * Resolves once a poll that began after this call has ended: true if all its events were applied,
   * false while the log is not followed, because that would cost more than it saves.
   * @throws when the store does not answer
   */
  done(): Promise<boolean>;
  /** Everything up to here was applied; undefined while the log is not followed. */
  position(): bigint | undefined;
  /** Changes whenever events may have been missed; undefined while the log is not followed. */
  epoch(): number | undefined;
  /** This process has appended: the next poll finds at least that. */
  noteWrite(): void;
};

export type LogPollOptions = {
  take(event: LoggedEvent): void;
  now(): number;
};

const maxEvents = 1_000;
/** Reading so many events costs about as much as the stream read that a poll saves one reader. */
const eventsPerReader = 8;
const maxWrites = 250;
const startCredit = 1_000;
const maxCredit = 4_000;
const pauseMs = 1_000;
const deadlineMs = 2_000;

/**
 * Follows the log as far as readers ask for it, and only while that is cheaper than what it saves
 * them.
 */
export function createLogPoll(
  store: Pick<EventStore, 'readLog' | 'head'>,
  { take, now }: LogPollOptions,
): LogPoll {
  let position: bigint | undefined;
  let epoch = 0;
  let [started, ended] = [0, 0];
  let polling: Promise<void> | undefined;
  /** Readers that the next poll will serve. */
  let waiting = 0;
  /** Goes up with every reader that is served, down with every event that is read for them. */
  let credit = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let beginning = false;

  /** Appends of this process since the last poll. */
  let writes = 0;

  const stop = (restMs = pauseMs) => {
    writes = 0;
    position = undefined;
    pausedUntil = now() + restMs;
  };

  /** Begins at the log's head: no state is cached yet that could be behind. */
  const begin = async () => {
    beginning = true;
    try {
      const head = await store.head();
      epoch += 1;
      credit = startCredit;
      position = head;
      writes = 0;
    } catch {
      pausedUntil = now() + pauseMs;
    } finally {
      beginning = false;
    }
  };

  const pollOnce = async (after: bigint): Promise<void> => {
    writes = 0;
    started += 1;
    const number = started;
    credit = Math.min(maxCredit, credit + waiting * eventsPerReader);
    waiting = 0;
    try {
      const read = await store.readLog({ after, maxCount: maxEvents, deadlineMs });
      credit -= read.events.length;
      // Another log, or far behind this one.
      if (read.gap || read.events.length >= maxEvents || credit < 0) stop();
      else {
        for (const event of read.events) take(event);
        position = read.events.at(-1)?.position ?? after;
      }
      ended = number;
    } catch (error) {
      stop();
      throw error;
    }
  };

  return {
    noteWrite: () => {
      writes += 1;
      // Not polled for long: starting again at the head is cheaper than reading all of them.
      if (writes > maxWrites) stop(0);
    },
    position: () => position,
    epoch: () => (position === undefined ? undefined : epoch),
    done: async () => {
      const needed = started + 1;
      waiting += 1;
      // The poll in flight began before this call: wait for it, then at most one more.
      while (position !== undefined && ended < needed) {
        polling ??= pollOnce(position).finally(() => {
          polling = undefined;
        });
        await polling;
      }
      if (position !== undefined) return true;
      if (!beginning && now() >= pausedUntil) void begin();
      return false;
    },
  };
}
