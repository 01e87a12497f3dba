import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { isCopied } from './logs.ts';

/** Reads the events to be copied one by one, including those that the log gets later. */
export class CopyCursor {
  readonly #log: Pick<RawLog, 'read'>;
  #events: readonly RawEvent[] = [];
  #next = 0;
  #reading: AsyncIterator<RawEvent[]> | undefined;
  /** The last event that was read of the store. */
  #read: number;
  /** The last event that was passed. */
  #passed: number;

  constructor(log: Pick<RawLog, 'read'>, after = 0) {
    this.#log = log;
    this.#read = after;
    this.#passed = after;
  }

  /** The next event; undefined if it is not known yet (`more`). */
  get current(): RawEvent | undefined {
    return this.#events[this.#next];
  }

  /** The position after which the next event comes. */
  get passed(): number {
    return this.#passed;
  }

  advance(): void {
    this.#passed = this.current?.position ?? this.#passed;
    this.#next += 1;
  }

  /** Whether there is an event: false at the end of the log. @throws when it does not answer */
  async more(): Promise<boolean> {
    while (this.current === undefined) {
      const wasReading = this.#reading !== undefined;
      this.#reading ??= this.#log.read(this.#read)[Symbol.asyncIterator]();
      const { done, value } = await this.#reading.next().catch((error: unknown) => {
        this.#reading = undefined;
        throw error;
      });
      if (!done) this.#take(value);
      else {
        this.#reading = undefined;
        // A read does not include events that came after its start.
        if (!wasReading) return false;
      }
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#reading?.return?.();
    this.#reading = undefined;
  }

  #take(events: readonly RawEvent[]): void {
    this.#read = events.at(-1)?.position ?? this.#read;
    this.#events = events.filter(isCopied);
    this.#next = 0;
  }
}
