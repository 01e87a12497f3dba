import type { Claimed } from './claims.ts';
import { deliver, type DeliverOptions, type DeliverPorts, type Held } from '../send/deliver.ts';
import { isStuck, maySend, wantsMore, type Lane } from '../pace/lanes.ts';

/** What this dispatcher has claimed and not yet written: waiting in its lane, under way, or being written. */
export type Outbox = {
  /** Takes a claimed message, and sends it as soon as its lane lets it. */
  add(claimed: Claimed, lane: Lane): void;
  /** Sends what may be sent by now, and gives back what can't be for a while: to wait in the table, for whoever can. */
  tend(): void;
  /** Claims that are older than so many milliseconds. */
  olderThan(ms: number): Claimed[];
  size(): number;
  /** Gives back all that is not under way, and takes nothing more. */
  close(): void;
};

export function createOutbox(
  options: DeliverOptions & DeliverPorts & { onDue(shopId: string, inMs: number): void },
): Outbox {
  const { writer, logger, onDue } = options;
  const held = new Map<string, Held>();
  let closed = false;

  const onRoom = (lane: Lane) => {
    pump(lane);
    const now = performance.now();
    if (lane.dueAtMs <= now && wantsMore(lane, now)) options.onRoom(lane);
  };
  const ports = { ...options, onRoom };

  const pump = (lane: Lane) => {
    while (!closed && maySend(lane, performance.now())) {
      const next = lane.claimed.shift();
      const entry = next && held.get(next.messageId);
      if (entry) letGoAfter(entry, deliver(entry, ports));
    }
  };

  /** The end of a message's time here, whatever came of it. */
  const letGoAfter = (entry: Held, done: Promise<number | undefined>) => {
    const { messageId } = entry.claimed;
    void done
      .then((inMs) => inMs !== undefined && onDue(entry.lane.shopId, inMs))
      .catch((error: unknown) =>
        logger.error({ err: error, messageId }, 'an attempt failed in an unforeseen way'),
      )
      .finally(() => held.delete(messageId));
  };

  const release = (lane: Lane) => {
    for (const { messageId, operationId } of lane.claimed.splice(0)) {
      const entry = held.get(messageId);
      if (!entry) continue;
      const written = writer.write({
        claim: entry,
        messageId,
        operationId,
        outcome: { kind: 'released' },
        facts: undefined,
      });
      letGoAfter(
        entry,
        written.then((given) => given?.dueInMs),
      );
    }
  };
  const lanes = () => {
    const waiting = [...held.values()].filter(({ lane }) => lane.claimed.length > 0);
    return new Set(waiting.map(({ lane }) => lane));
  };

  return {
    add: (claimed, lane) => {
      const before = held.get(claimed.messageId);
      if (before) {
        // Our own lease has lapsed meanwhile: it goes on under the new claim.
        before.claimed = claimed;
        return;
      }
      held.set(claimed.messageId, { claimed, lane, sinceMs: performance.now() });
      lane.claimed.push(claimed);
      pump(lane);
    },
    tend: () => {
      const now = performance.now();
      for (const lane of lanes()) {
        pump(lane);
        if (lane.heldUntilMs > now || isStuck(lane, now)) release(lane);
      }
    },
    olderThan: (ms) => {
      const before = performance.now() - ms;
      return [...held.values()].filter(({ sinceMs }) => sinceMs < before).map(({ claimed }) => claimed);
    },
    size: () => held.size,
    close: () => {
      closed = true;
      for (const lane of lanes()) release(lane);
    },
  };
}
