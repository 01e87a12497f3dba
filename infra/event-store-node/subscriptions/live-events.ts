import type { StreamEvent } from '../storage/log-writer.ts';
import { paceListener, type LiveListener, type PacedListener } from './paced-listener.ts';

export type LiveEvents = {
  /** To be called after each commit. */
  readonly publish: LiveListener;
  /** Listens to all events; called about every 10 ms. Returns a function that ends it. */
  readonly listenToAll: (listener: LiveListener) => () => void;
  /** Listens to one stream; called at once with each commit. */
  readonly listenToStream: (stream: string, listener: LiveListener) => () => void;
};

/** Passes committed events to subscriptions that have caught up. */
export function createLiveEvents(): LiveEvents {
  const all = new Set<PacedListener>();
  const streams = new Map<string, Set<LiveListener>>();
  let listenersSoFar = 0;

  function publishToStreams(events: readonly StreamEvent[]): void {
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
      for (const listener of all) listener.take(events);
      if (streams.size > 0) publishToStreams(events);
    },
    listenToAll(listener) {
      const paced = paceListener(listener, listenersSoFar);
      listenersSoFar += 1;
      all.add(paced);
      return () => {
        paced.stop();
        all.delete(paced);
      };
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
