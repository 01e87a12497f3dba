import { StateCache, type AnyState } from './state-cache.ts';
import { LogPoll } from './log-poll.ts';
import type { EventStore, StoredEvent } from './types.ts';

/** How the state of one kind of stream is loaded and updated. */
export type StreamKind<State extends { revision: number }> = {
  /**
   * Loads the current state. `known` is an earlier state of the stream: only later events need to
   * be read.
   */
  load(stream: string, cached: State | undefined): Promise<State>;
  /** The state after one more event; undefined if it has to be loaded again. */
  evolve(state: State, event: StoredEvent): State | undefined;
};

export type CurrentReader<State> = {
  /**
   * The state of a stream, with every event that any process had acknowledged before this call.
   * @throws when the store does not answer; it never returns an older state instead
   */
  read(stream: string): Promise<State>;
  /** Caches a state that was just folded; `position` is the log position of its newest event. */
  put(stream: string, entry: { state: State; position: bigint }): void;
};

type CurrentStates = {
  reader<State extends { revision: number }>(kind: StreamKind<State>): CurrentReader<State>;
};

const defaultMaxStates = 10_000;

/**
 * Folded states of streams, cached in memory and never stale (R10.2,
 * docs/decisions/current-reads.md).
 *
 * Every read waits for a poll of the log that begins after the read. All waiting reads share it.
 * The poll reads all events since the last poll, and applies them to the cached states. While the
 * log is not polled, because that would cost more than it saves, a read reads its stream for events
 * after the cached state.
 */
export function createCurrentStates(
  store: Pick<EventStore, 'readLog' | 'head' | 'followed'>,
  { maxStates = defaultMaxStates, now = () => performance.now() } = {},
): CurrentStates {
  const states = new StateCache(maxStates);
  const poll = new LogPoll(store, { take: (event) => states.take(event), now });
  const both = { states, poll };
  return {
    reader: <State extends AnyState>(kind: StreamKind<State>): CurrentReader<State> => ({
      read: async (stream) => {
        if (await poll.done()) {
          const entry = states.find(stream);
          if (entry?.epoch !== undefined && entry.epoch === poll.epoch()) {
            states.set(stream, entry);
            return entry.state as State;
          }
        }
        return loadAndKeep(stream, kind, both);
      },
      put: (stream, { state, position }) => {
        poll.noteWrite();
        // No readers: states cached after many creates would only burden the garbage collector.
        const polledTo = poll.position();
        if (polledTo === undefined) return;
        const before = states.find(stream);
        if (before && before.state.revision >= state.revision) return;
        // If the last poll ended before this state, it can't have passed a later event of the
        // stream.
        const epoch = polledTo <= position ? poll.epoch() : undefined;
        states.set(stream, { state, evolve: kind.evolve, epoch });
      },
    }),
  };
}

async function loadAndKeep<State extends AnyState>(
  stream: string,
  { load, evolve }: StreamKind<State>,
  { states, poll }: { states: StateCache; poll: LogPoll },
): Promise<State> {
  const epoch = poll.epoch();
  const watch = states.beginLoad(stream);
  try {
    const state = await load(stream, states.find(stream)?.state as State | undefined);
    // If a poll has passed an event that this load did not see, no later poll would apply it.
    const complete = state.revision >= watch.seenRevision;
    const before = states.find(stream);
    if (complete || !before || before.state.revision < state.revision)
      states.set(stream, { state, evolve, epoch: complete ? epoch : undefined });
    return state;
  } finally {
    states.endLoad(stream, watch);
  }
}
