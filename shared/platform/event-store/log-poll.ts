import type { EventStore, LoggedEvent } from './types.ts';

type LogPollOptions = {
  take(event: LoggedEvent): void;
  now(): number;
};

const maxEvents = 1_000;
/**
 * Reading this many events costs about as much as the read of a stream that a poll saves one
 * reader.
 */
const eventsPerReader = 8;
const maxWrites = 250;
const startCredit = 1_000;
const maxCredit = 4_000;
const pauseMs = 1_000;
const deadlineMs = 2_000;

/** Polls the log when readers ask for it, and only while this costs less than it saves. */
export class LogPoll {
  readonly #store: Pick<EventStore, 'readLog' | 'head' | 'followed'>;
  readonly #options: LogPollOptions;
  #position: bigint | undefined;
  #epoch = 0;
  /** Poll numbers: the newest that has started, and the newest that has ended. */
  #started = 0;
  #ended = 0;
  #polling: Promise<void> | undefined;
  /** Readers that the next poll will serve. */
  #waiting = 0;
  /** Goes up with every reader that is served, down with every event that is read for them. */
  #credit = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #beginning = false;
  /** Appends of this process since the last poll. */
  #writes = 0;

  constructor(store: Pick<EventStore, 'readLog' | 'head' | 'followed'>, options: LogPollOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Notes an append of this process: the next poll finds at least that. */
  noteWrite(): void {
    this.#writes += 1;
    // There was no poll for long: starting again at the head is cheaper than reading all these
    // events.
    if (this.#writes > maxWrites) this.#stop(0);
  }

  /** Everything up to here was applied; undefined while the log is not followed. */
  position(): bigint | undefined {
    return this.#position;
  }

  /** Changes whenever events may have been missed; undefined while the log is not followed. */
  epoch(): number | undefined {
    return this.#position === undefined ? undefined : this.#epoch;
  }

  /**
   * Resolves once a poll that began after this call has ended: true if all its events were applied,
   * false while the log is not followed, because that would cost more than it saves.
   * @throws when the store does not answer
   */
  async done(): Promise<boolean> {
    const needed = this.#started + 1;
    this.#waiting += 1;
    // The poll in flight began before this call: wait for it, then at most one more.
    while (this.#position !== undefined && this.#ended < needed) {
      this.#polling ??= this.#pollOnce(this.#position).finally(() => {
        this.#polling = undefined;
      });
      await this.#polling;
    }
    if (this.#position !== undefined) return true;
    if (!this.#beginning && this.#options.now() >= this.#pausedUntil) void this.#begin();
    return false;
  }

  #stop(restMs = pauseMs): void {
    this.#writes = 0;
    this.#position = undefined;
    this.#pausedUntil = this.#options.now() + restMs;
  }

  /** Begins at the log's head: no cached state could be older. */
  async #begin(): Promise<void> {
    this.#beginning = true;
    try {
      const head = await this.#store.head();
      this.#epoch += 1;
      this.#credit = startCredit;
      this.#position = head;
      this.#writes = 0;
    } catch {
      this.#pausedUntil = this.#options.now() + pauseMs;
    } finally {
      this.#beginning = false;
    }
  }

  /**
   * Applies the events that this process has received, so that the poll does not read them again.
   * @returns how far that goes
   */
  #takeFollowed(from: bigint): bigint {
    const followed = this.#store.followed(from);
    for (const event of followed) {
      const { stream, revision, position } = event;
      this.#options.take({ stream, revision, position, read: () => event });
    }
    const after = followed.at(-1)?.position ?? from;
    // Before the read: a state that is cached meanwhile must not count as newer than this.
    this.#position = after;
    return after;
  }

  async #pollOnce(from: bigint): Promise<void> {
    const after = this.#takeFollowed(from);
    this.#writes = 0;
    this.#started += 1;
    const number = this.#started;
    this.#credit = Math.min(maxCredit, this.#credit + this.#waiting * eventsPerReader);
    this.#waiting = 0;
    try {
      const read = await this.#store.readLog({ after, maxCount: maxEvents, deadlineMs });
      this.#credit -= read.events.length;
      // Another log, or far behind this one.
      if (read.gap || read.events.length >= maxEvents || this.#credit < 0) this.#stop();
      else {
        for (const event of read.events) this.#options.take(event);
        this.#position = read.events.at(-1)?.position ?? after;
      }
      this.#ended = number;
    } catch (error) {
      this.#stop();
      throw error;
    }
  }
}
