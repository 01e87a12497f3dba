import { createDropOldest } from '#shared/platform/drop-oldest.ts';
import { createLogPoll } from './log-poll.ts';
import type { EventStore, LoggedEvent, StoredEvent } from './types.ts';

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

export type CurrentStates = {
  reader<State extends { revision: number }>(kind: StreamKind<State>): CurrentReader<State>;
};

type AnyState = { revision: number };
type Entry = {
  state: AnyState;
  evolve(state: AnyState, event: StoredEvent): AnyState | undefined;
  /**
   * While the log is followed as it was then, the state has every event of its stream up to the
   * position of the last poll. Else it is one that the stream once had.
   */
  epoch: number | undefined;
};
type Load = { loads: number; seenRevision: number };

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
  store: Pick<EventStore, 'readLog' | 'head'>,
  { maxStates = defaultMaxStates, now = () => performance.now() } = {},
): CurrentStates {
  /** The least recently used first. */
  const kept = new Map<string, Entry>();
  const dropOldest = createDropOldest(kept);
  /** Streams that are being loaded, and the newest event that a poll has seen of them meanwhile. */
  const loading = new Map<string, Load>();

  const take = (event: LoggedEvent) => {
    const load = loading.get(event.stream);
    if (load) load.seenRevision = Math.max(load.seenRevision, event.revision);
    const entry = kept.get(event.stream);
    if (!entry || event.revision <= entry.state.revision) return;
    const follows = event.revision === entry.state.revision + 1;
    const next = follows ? evolved(entry, event.read()) : undefined;
    if (next) entry.state = next;
    else kept.delete(event.stream);
  };
  const poll = createLogPoll(store, { take, now });

  const keep = (stream: string, entry: Entry) => {
    kept.delete(stream);
    kept.set(stream, entry);
    if (kept.size > maxStates) dropOldest();
  };

  async function loadAndKeep<State extends AnyState>(
    stream: string,
    { load, evolve }: StreamKind<State>,
  ): Promise<State> {
    const epoch = poll.epoch();
    const watch = loading.get(stream) ?? { loads: 0, seenRevision: -1 };
    loading.set(stream, watch);
    watch.loads += 1;
    try {
      const state = await load(stream, kept.get(stream)?.state as State | undefined);
      // A poll that passed an event which this load had not seen yet would never bring it to what
      // is kept.
      const complete = state.revision >= watch.seenRevision;
      const before = kept.get(stream);
      if (complete || !before || before.state.revision < state.revision)
        keep(stream, { state, evolve, epoch: complete ? epoch : undefined });
      return state;
    } finally {
      watch.loads -= 1;
      if (watch.loads === 0) loading.delete(stream);
    }
  }

  return {
    reader: <State extends AnyState>(kind: StreamKind<State>): CurrentReader<State> => ({
      read: async (stream) => {
        if (await poll.done()) {
          const entry = kept.get(stream);
          if (entry?.epoch !== undefined && entry.epoch === poll.epoch()) {
            keep(stream, entry);
            return entry.state as State;
          }
        }
        return loadAndKeep(stream, kind);
      },
      put: (stream, { state, position }) => {
        poll.noteWrite();
        // No readers: states kept after many creates would only burden the garbage collector.
        const lookedAt = poll.position();
        if (lookedAt === undefined) return;
        const before = kept.get(stream);
        if (before && before.state.revision >= state.revision) return;
        // Beyond what was polled at, no event after this state can have been passed.
        keep(stream, { state, evolve: kind.evolve, epoch: lookedAt <= position ? poll.epoch() : undefined });
      },
    }),
  };
}

function evolved({ state, evolve }: Entry, event: StoredEvent): AnyState | undefined {
  try {
    return evolve(state, event);
  } catch {
    // Loading the stream will show what is wrong with it.
    return undefined;
  }
}
