import type { Claimed } from '../../claim.ts';
import { deliver, type DeliverOptions, type DeliverPorts, type Held } from '../send/deliver.ts';
import { isStuck, maySend, wantsMore, type Lane } from '../pace/lanes.ts';

/**
 * The messages that this dispatcher has claimed: waiting in their lanes, in progress, or being
 * written.
 */
export type Outbox = {
  /** Takes a claimed message, and sends it as soon as its lane allows. */
  add(claimed: Claimed, lane: Lane): void;
  /**
   * Sends what may be sent now; releases what must wait for a while, so that any dispatcher may
   * claim it.
   */
  tend(): void;
  /** Claims that are older than so many milliseconds. */
  olderThan(ms: number): Claimed[];
  size(): number;
  /** Releases all that is not in progress, and takes no more. */
  close(): void;
};

type OutboxOptions = DeliverOptions & DeliverPorts & { onDue(shopId: string, inMs: number): void };

export const createOutbox = (options: OutboxOptions): Outbox => new HeldMessages(options);

class HeldMessages implements Outbox {
  readonly #options: OutboxOptions;
  readonly #ports: DeliverOptions & DeliverPorts;
  readonly #held = new Map<string, Held>();
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#ports = { ...options, onRoom: (lane) => this.#onRoom(lane) };
  }

  add(claimed: Claimed, lane: Lane): void {
    const before = this.#held.get(claimed.messageId);
    if (before) {
      // Our own lease has expired meanwhile: the message goes on under the new claim.
      before.claimed = claimed;
      return;
    }
    this.#held.set(claimed.messageId, { claimed, lane, sinceMs: performance.now() });
    lane.claimed.push(claimed);
    this.#pump(lane);
  }

  tend(): void {
    const now = performance.now();
    for (const lane of this.#lanes()) {
      this.#pump(lane);
      if (lane.heldUntilMs > now || isStuck(lane, now)) this.#release(lane);
    }
  }

  olderThan(ms: number): Claimed[] {
    const before = performance.now() - ms;
    const held = [...this.#held.values()];
    return held.filter(({ sinceMs }) => sinceMs < before).map(({ claimed }) => claimed);
  }

  size(): number {
    return this.#held.size;
  }

  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes()) this.#release(lane);
  }

  /** Lanes in which a claimed message waits. */
  #lanes(): Set<Lane> {
    const waiting = [...this.#held.values()].filter(({ lane }) => lane.claimed.length > 0);
    return new Set(waiting.map(({ lane }) => lane));
  }

  #onRoom(lane: Lane): void {
    this.#pump(lane);
    const now = performance.now();
    if (lane.dueAtMs <= now && wantsMore(lane, now)) this.#options.onRoom(lane);
  }

  /** Sends what the lane lets it send. */
  #pump(lane: Lane): void {
    while (!this.#closed && maySend(lane, performance.now())) {
      const next = lane.claimed.shift();
      const entry = next && this.#held.get(next.messageId);
      if (entry) this.#letGoAfter(entry, deliver(entry, this.#ports));
    }
  }

  /** Releases a lane's claims. */
  #release(lane: Lane): void {
    for (const { messageId, operationId } of lane.claimed.splice(0)) {
      const entry = this.#held.get(messageId);
      if (!entry) continue;
      const outcome = { kind: 'released' } as const;
      const written = this.#options.writer.write({
        claim: entry,
        messageId,
        operationId,
        outcome,
        facts: undefined,
      });
      this.#letGoAfter(
        entry,
        written.then((given) => given?.dueInMs),
      );
    }
  }

  /** Removes a message, whatever its outcome. */
  #letGoAfter(entry: Held, done: Promise<number | undefined>): void {
    const { logger, onDue } = this.#options;
    const { messageId } = entry.claimed;
    void done
      .then((inMs) => inMs !== undefined && onDue(entry.lane.shopId, inMs))
      .catch((error: unknown) =>
        logger.error({ err: error, messageId }, 'an attempt failed unexpectedly'),
      )
      .finally(() => this.#held.delete(messageId));
  }
}
