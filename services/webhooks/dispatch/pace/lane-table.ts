import { newLane, nextStuckMs, wantsMore, type Lane } from './lanes.ts';

/** An endpoint with a message due in this many milliseconds, 0 or less for now. */
export type Due = { shopId: string; inMs: number };

/** The lanes of all endpoints with messages that are due or in progress. */
export class LaneTable {
  readonly #lanes = new Map<string, Lane>();

  find(endpointId: string): Lane | undefined {
    return this.#lanes.get(endpointId);
  }

  /** The endpoint's lane; a new one if it had none. */
  of(endpoint: Pick<Lane, 'endpointId' | 'shopId'>): Lane {
    const lane = this.#lanes.get(endpoint.endpointId) ?? newLane(endpoint);
    this.#lanes.set(endpoint.endpointId, lane);
    return lane;
  }

  all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  /** A message for the endpoint is due within this many milliseconds. */
  dueIn(endpointId: string, { shopId, inMs }: Due): Lane {
    const lane = this.of({ endpointId, shopId });
    lane.dueAtMs = Math.min(lane.dueAtMs, performance.now() + inMs);
    return lane;
  }

  /** Removes lanes without claimed or due messages; those without an endpoint claim none. */
  dropIdle(due: { has(endpointId: string): boolean }): void {
    const now = performance.now();
    for (const [endpointId, lane] of this.#lanes) {
      const idle = lane.unwritten === 0 && lane.claimed.length === 0;
      const waits = lane.dueAtMs !== Number.POSITIVE_INFINITY && lane.heldUntilMs <= now;
      if (idle && !waits && !due.has(endpointId)) this.#lanes.delete(endpointId);
    }
  }

  /** When messages can next be claimed for any lane; infinity if none are known to be due. */
  nextAtMs(now: number): number {
    let at = Number.POSITIVE_INFINITY;
    for (const lane of this.all()) {
      const capacityAtMs = wantsMore(lane, now) ? now : nextStuckMs(lane, now);
      at = Math.min(at, Math.max(lane.dueAtMs, lane.heldUntilMs, capacityAtMs));
    }
    return at;
  }
}
