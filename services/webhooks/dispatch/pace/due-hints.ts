/**
 * Notified endpoints without a lane. Anybody who may log in to the database can notify: an endpoint
 * gets its lane only once a query has found that a message for it is due.
 */
export class DueHints {
  readonly #most: number;
  readonly #endpointIds = new Set<string>();

  constructor(most = 256) {
    this.#most = most;
  }

  /** False when there are too many endpoints: then all due messages are polled instead. */
  add(endpointId: string): boolean {
    if (this.#endpointIds.size >= this.#most && !this.#endpointIds.has(endpointId)) return false;
    this.#endpointIds.add(endpointId);
    return true;
  }

  /** The endpoints since the last call, each once. */
  take(): string[] {
    const endpointIds = [...this.#endpointIds];
    this.#endpointIds.clear();
    return endpointIds;
  }
}
