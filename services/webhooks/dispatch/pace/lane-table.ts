import { newLane, nextStuckMs, wantsMore, type Lane } from './lanes.ts';

/** The lanes of all shops with messages that are due or in progress. */
export class LaneTable {
  readonly #lanes = new Map<string, Lane>();

  find(shopId: string): Lane | undefined {
    return this.#lanes.get(shopId);
  }

  /** The shop's lane; a new one if it had none. */
  of(shopId: string): Lane {
    const lane = this.#lanes.get(shopId) ?? newLane(shopId);
    this.#lanes.set(shopId, lane);
    return lane;
  }

  all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  /** A message of the shop is due in so many milliseconds at the latest. */
  dueIn(shopId: string, inMs: number): Lane {
    const lane = this.of(shopId);
    lane.dueAtMs = Math.min(lane.dueAtMs, performance.now() + inMs);
    return lane;
  }

  /** Removes lanes without claimed or due messages; those without an endpoint claim none. */
  dropIdle(due: ReadonlyMap<string, number>): void {
    const now = performance.now();
    for (const [shopId, lane] of this.#lanes) {
      const idle = lane.unwritten === 0 && lane.claimed.length === 0;
      const waits = lane.dueAtMs !== Number.POSITIVE_INFINITY && lane.heldUntilMs <= now;
      if (idle && !waits && !due.has(shopId)) this.#lanes.delete(shopId);
    }
  }

  /** When messages can next be claimed for any lane; infinity if none are known to be due. */
  nextAtMs(now: number): number {
    let at = Number.POSITIVE_INFINITY;
    for (const lane of this.all()) {
      const roomAt = wantsMore(lane, now) ? now : nextStuckMs(lane, now);
      at = Math.min(at, Math.max(lane.dueAtMs, lane.heldUntilMs, roomAt));
    }
    return at;
  }
}
