import type { ClaimedMessage } from '../claim.ts';
import { deliver, type DeliverOptions, type DeliverPorts, type Held } from './send/deliver.ts';
import { isStuck, maySend, wantsMore, type Lane } from './pace/lanes.ts';

/**
 * The messages that this dispatcher has claimed: waiting in their lanes, in progress, or being
 * written.
 */
export type DeliveryOutbox = {
  /** Accepts a claimed message, and sends it as soon as its lane allows. */
  add(claimed: ClaimedMessage, lane: Lane): void;
  /**
   * Sends all messages that may be sent now; releases those that must wait, so that any dispatcher
   * may claim them.
   */
  flush(): void;
  /** Claims that are older than N milliseconds. */
  olderThan(ms: number): ClaimedMessage[];
  size(): number;
  /** Releases all messages that are not in progress, and accepts no more. */
  close(): void;
};

type OutboxOptions = DeliverOptions & DeliverPorts & { onDue(lane: Lane, inMs: number): void };

export const createDeliveryOutbox = (options: OutboxOptions): DeliveryOutbox =>
  new HeldMessages(options);

class HeldMessages implements DeliveryOutbox {
  readonly #options: OutboxOptions;
  readonly #ports: DeliverOptions & DeliverPorts;
  readonly #held = new Map<string, Held>();
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#ports = { ...options, onCapacity: (lane) => this.#onCapacity(lane) };
  }

  add(claimed: ClaimedMessage, lane: Lane): void {
    const existing = this.#held.get(claimed.messageId);
    if (existing) {
      // Our own lease has expired meanwhile: the message continues under the new claim.
      existing.claimed = claimed;
      return;
    }
    this.#held.set(claimed.messageId, { claimed, lane, sinceMs: performance.now() });
    lane.claimed.push(claimed);
    this.#pump(lane);
  }

  flush(): void {
    const now = performance.now();
    for (const lane of this.#lanes()) {
      this.#pump(lane);
      if (lane.heldUntilMs > now || isStuck(lane, now)) this.#release(lane);
    }
  }

  olderThan(ms: number): ClaimedMessage[] {
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

  #onCapacity(lane: Lane): void {
    this.#pump(lane);
    const now = performance.now();
    if (lane.dueAtMs <= now && wantsMore(lane, now)) this.#options.onCapacity(lane);
  }

  /** Sends as much as the lane allows. */
  #pump(lane: Lane): void {
    while (!this.#closed && maySend(lane, performance.now())) {
      const next = lane.claimed.shift();
      const entry = next && this.#held.get(next.messageId);
      if (entry) this.#releaseAfter(entry, deliver(entry, this.#ports));
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
      this.#releaseAfter(
        entry,
        written.then((result) => result?.dueInMs),
      );
    }
  }

  /** Removes a message, whatever its outcome. */
  #releaseAfter(entry: Held, done: Promise<number | undefined>): void {
    const { logger, onDue } = this.#options;
    const { messageId } = entry.claimed;
    void done
      .then((inMs) => inMs !== undefined && onDue(entry.lane, inMs))
      .catch((error: unknown) =>
        logger.error({ err: error, messageId }, 'an attempt failed unexpectedly'),
      )
      .finally(() => this.#held.delete(messageId));
  }
}
