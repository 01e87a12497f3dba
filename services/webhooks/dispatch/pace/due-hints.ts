/**
 * Notified shops without a lane. Anybody who may log in to the database can notify: a shop gets its
 * lane only once a query has found that a message of it is due.
 */
export class DueHints {
  readonly #most: number;
  readonly #shopIds = new Set<string>();

  constructor(most = 256) {
    this.#most = most;
  }

  /** False when there are too many shops: then all due messages are to be polled instead. */
  add(shopId: string): boolean {
    if (this.#shopIds.size >= this.#most && !this.#shopIds.has(shopId)) return false;
    this.#shopIds.add(shopId);
    return true;
  }

  /** The shops since the last call, each once. */
  take(): string[] {
    const taken = [...this.#shopIds];
    this.#shopIds.clear();
    return taken;
  }
}
