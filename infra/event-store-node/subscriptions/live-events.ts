import type { WrittenEvent } from '../storage/log-writer.ts';

/** Takes what was written, in the order of the log. */
export type LiveListener = (events: readonly WrittenEvent[]) => void;

export type LiveEvents = {
  /** To be called after each commit. */
  readonly publish: LiveListener;
  /** Listens to everything; returns the function that ends it. What was written just before may come too. */
  readonly listenToAll: (listener: LiveListener) => () => void;
  /** Listens to one stream, at once with each commit. */
  readonly listenToStream: (stream: string, listener: LiveListener) => () => void;
};

/**
 * Listeners to everything are called at most so often: under load there is a commit each millisecond, and each message costs a
 * write here and a wake-up of every subscriber, more than the events in it. What comes after a quiet time goes out at once.
 */
const PACE_MS = 10;

/** Hands committed events to whoever is caught up. */
export function createLiveEvents(): LiveEvents {
  const all = new Set<LiveListener>();
  const streams = new Map<string, Set<LiveListener>>();
  let gathered: WrittenEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let handedOutAt = Number.NEGATIVE_INFINITY;

  function publishToAll(events: readonly WrittenEvent[]): void {
    for (const event of events) gathered.push(event);
    if (timer !== undefined) return;
    const waitMs = handedOutAt + PACE_MS - performance.now();
    if (waitMs <= 0) handOut();
    else timer = setTimeout(handOut, waitMs);
  }

  function handOut(): void {
    const events = gathered;
    gathered = [];
    timer = undefined;
    handedOutAt = performance.now();
    for (const listener of all) listener(events);
  }

  function publishToStreams(events: readonly WrittenEvent[]): void {
    const byStream = Map.groupBy(
      events.filter(({ stream }) => streams.has(stream)),
      ({ stream }) => stream,
    );
    for (const [stream, group] of byStream) {
      for (const listener of streams.get(stream) ?? []) listener(group);
    }
  }

  return {
    publish(events) {
      if (all.size > 0) publishToAll(events);
      if (streams.size > 0) publishToStreams(events);
    },
    listenToAll(listener) {
      all.add(listener);
      return () => void all.delete(listener);
    },
    listenToStream(stream, listener) {
      const listeners = streams.get(stream) ?? new Set();
      listeners.add(listener);
      streams.set(stream, listeners);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && streams.get(stream) === listeners) streams.delete(stream);
      };
    },
  };
}
