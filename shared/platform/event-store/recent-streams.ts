import type { StoredEvent } from './types.ts';

const defaultMaxStreams = 2_000;

/** Streams that began recently, in full, to save readers a read of what has just been received. */
export class RecentStreams {
  readonly #prefixes: readonly string[];
  readonly #maxStreams: number;
  /** The one that began first comes first, and makes room. */
  readonly #streams = new Map<string, StoredEvent[]>();

  constructor(prefixes: readonly string[], maxStreams = defaultMaxStreams) {
    this.#prefixes = prefixes;
    this.#maxStreams = maxStreams;
  }

  /** An event of the log, in its order. After a gap what follows it is not kept. */
  take(event: StoredEvent): void {
    const { stream, revision } = event;
    if (!this.#prefixes.some((prefix) => stream.startsWith(prefix))) return;
    const events = this.#streams.get(stream);
    if (revision === 0) this.#begin(event);
    else if (events?.length === revision) events.push(event);
    else if (events && events.length < revision) this.#streams.delete(stream);
  }

  /**
   * All events up to the newest that came by, the first at revision 0; `undefined` where some are
   * not known.
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
