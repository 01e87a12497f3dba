/** A reader has to take so much while others wait for its slot. */
const bytesPerSecond = 16 * 1024;
/** A reader may be behind by so much: networks and people pause. */
const burstBytes = 10 * bytesPerSecond;

/** How fast a file is read. Only the time in which the reader has a chunk to take counts. */
export class ReaderPace {
  readonly #now: () => number;
  /** What the reader may still leave unread. */
  #creditBytes = burstBytes;
  #sentAtMs: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The reader has a chunk to take. */
  send(bytes: number): void {
    this.#creditBytes = Math.min(burstBytes, this.#creditBytes) + bytes;
    this.#sentAtMs = this.#now();
  }

  /** It has taken the chunk, and waits for the next. */
  take(): void {
    this.#creditBytes = this.creditBytes;
    this.#sentAtMs = undefined;
  }

  /** Below zero for a reader that is too slow. */
  get creditBytes(): number {
    const waitedMs = this.#sentAtMs === undefined ? 0 : this.#now() - this.#sentAtMs;
    return this.#creditBytes - (waitedMs * bytesPerSecond) / 1_000;
  }
}
