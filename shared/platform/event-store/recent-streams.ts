import type { StoredEvent } from './types.ts';

const defaultMaxStreams = 2_000;

/**
 * Streams that began recently, with all their events, so that what the process has just received
 * need not be read.
 */
export class RecentStreams {
  readonly #prefixes: readonly string[];
  readonly #maxStreams: number;
  /** In the order in which they began; the oldest is dropped when there are too many. */
  readonly #streams = new Map<string, StoredEvent[]>();

  constructor(prefixes: readonly string[], maxStreams = defaultMaxStreams) {
    this.#prefixes = prefixes;
    this.#maxStreams = maxStreams;
  }

  /** Takes an event of the log; events come in order. After a gap the stream is dropped. */
  take(event: StoredEvent): void {
    const { stream, revision } = event;
    if (!this.#prefixes.some((prefix) => stream.startsWith(prefix))) return;
    const events = this.#streams.get(stream);
    if (revision === 0) this.#begin(event);
    else if (events?.length === revision) events.push(event);
    else if (events && events.length < revision) this.#streams.delete(stream);
  }

  /**
   * All events from revision 0 up to the newest that was received; `undefined` if some are missing.
   */
  events(stream: string): readonly StoredEvent[] | undefined {
    return this.#streams.get(stream)?.slice();
  }

  #begin(event: StoredEvent): void {
    this.#streams.set(event.stream, [event]);
    const [oldest] = this.#streams.keys();
    if (this.#streams.size > this.#maxStreams && oldest !== undefined) this.#streams.delete(oldest);
  }
}
