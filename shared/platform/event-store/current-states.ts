import { KeptStates, type AnyState } from './kept-states.ts';
import { createLogPoll, type LogPoll } from './log-poll.ts';
import type { EventStore, StoredEvent } from './types.ts';

/** How the states of one kind of stream come to be. */
export type StreamKind<State extends { revision: number }> = {
  /**
   * The state as the store has it now; of `known`, a state that the stream once had, nothing needs
   * to be read again.
   */
  load(stream: string, known: State | undefined): Promise<State>;
  /** The state after one more event; undefined if it is to be loaded anew. */
  evolve(state: State, event: StoredEvent): State | undefined;
};

export type CurrentReader<State> = {
  /**
   * The state of a stream with every event that was acknowledged before this call, by whatever
   * process.
   * @throws when the store does not answer; never answers with something older instead
   */
  read(stream: string): Promise<State>;
  /** Keeps a state that was just folded; `position` is that of its newest event. */
  put(stream: string, kept: { state: State; position: bigint }): void;
};

type CurrentStates = {
  reader<State extends { revision: number }>(kind: StreamKind<State>): CurrentReader<State>;
};

const defaultMaxStates = 10_000;

/**
 * Folded states of streams, kept in memory and never stale (R10.2,
 * docs/decisions/current-reads.md).
 *
 * Every read waits for a poll at the log that begins after the read did, and that all who wait
 * share: it reads what was appended, by anybody, since the last poll, and brings what is kept up to
 * it. While the log is not followed, a read asks the stream for what came after the state that is
 * kept.
 */
export function createCurrentStates(
  store: Pick<EventStore, 'readLog' | 'head' | 'followed'>,
  { maxStates = defaultMaxStates, now = () => performance.now() } = {},
): CurrentStates {
  const states = new KeptStates(maxStates);
  const poll = createLogPoll(store, { take: (event) => states.take(event), now });
  const both = { states, poll };
  return {
    reader: <State extends AnyState>(kind: StreamKind<State>): CurrentReader<State> => ({
      read: async (stream) => {
        if (await poll.done()) {
          const entry = states.find(stream);
          if (entry?.epoch !== undefined && entry.epoch === poll.epoch()) {
            states.keep(stream, entry);
            return entry.state as State;
          }
        }
        return loadAndKeep(stream, kind, both);
      },
      put: (stream, { state, position }) => {
        poll.noteWrite();
        // No readers: states kept after many creates would only burden the garbage collector.
        const lookedAt = poll.position();
        if (lookedAt === undefined) return;
        const before = states.find(stream);
        if (before && before.state.revision >= state.revision) return;
        // Beyond what was polled at, no event after this state can have been passed.
        const epoch = lookedAt <= position ? poll.epoch() : undefined;
        states.keep(stream, { state, evolve: kind.evolve, epoch });
      },
    }),
  };
}

async function loadAndKeep<State extends AnyState>(
  stream: string,
  { load, evolve }: StreamKind<State>,
  { states, poll }: { states: KeptStates; poll: LogPoll },
): Promise<State> {
  const epoch = poll.epoch();
  const watch = states.beginLoad(stream);
  try {
    const state = await load(stream, states.find(stream)?.state as State | undefined);
    // A poll that passed an event which this load had not seen yet would never bring it to what is
    // kept.
    const complete = state.revision >= watch.seenRevision;
    const before = states.find(stream);
    if (complete || !before || before.state.revision < state.revision)
      states.keep(stream, { state, evolve, epoch: complete ? epoch : undefined });
    return state;
  } finally {
    states.endLoad(stream, watch);
  }
}
