import type { WrittenEvent } from '../storage/log-writer.ts';

/** Takes what was written; called after each commit, in the order of the log. */
export type LiveListener = (events: readonly WrittenEvent[]) => void;

export type LiveEvents = {
  readonly publish: LiveListener;
  /** Listens to everything; returns the function that ends it. */
  readonly listenToAll: (listener: LiveListener) => () => void;
  /** Listens to one stream. */
  readonly listenToStream: (stream: string, listener: LiveListener) => () => void;
};

/** Hands committed events to whoever is caught up. */
export function createLiveEvents(): LiveEvents {
  const all = new Set<LiveListener>();
  const streams = new Map<string, Set<LiveListener>>();

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
      for (const listener of all) listener(events);
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
