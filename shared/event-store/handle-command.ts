import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, NewEvent, StoredEvent } from './types.ts';

/** What a decision says: events to append (none: nothing to do), or a refusal with a code. */
export type Decision<Refusal> = { events: readonly NewEvent[] } | { refusal: Refusal };

export type CommandResult<State, Refusal> =
  /** `position`: of the last event that was appended; nothing where there was nothing to append. */
  | { outcome: 'done'; state: State; events: readonly NewEvent[]; position?: bigint }
  | { outcome: 'refused'; state: State; refusal: Refusal }
  /** The append's outcome could not be established, or every try met a conflict: ask again, decide nothing. */
  | { outcome: 'undecided'; cause: unknown };

export type Command<State extends { revision: number }, Refusal> = {
  store: EventStore;
  stream: string;
  /** The state before the first event, or the folded state that the caller holds. */
  state: State;
  /** False when `state` is known to be current (just appended, or believed new): saves the read. */
  readFirst?: boolean;
  evolve(state: State, event: StoredEvent): State;
  /** Applies events that this command appended itself, at the revisions that they got. */
  decide(state: State): Decision<Refusal>;
  deadlineMs?: number;
};

const maxTries = 10;
const defaultDeadlineMs = 10_000;
const longestReadMs = 5_000;

/**
 * Folds the stream, decides, appends at the revision that was folded; on a conflict reads what won and decides
 * again, a bounded number of times (architecture: the one way in which money streams are written).
 */
export async function handleCommand<State extends { revision: number }, Refusal = never>(
  command: Command<State, Refusal>,
): Promise<CommandResult<State, Refusal>> {
  const { store, stream, evolve, decide } = command;
  const deadline = performance.now() + (command.deadlineMs ?? defaultDeadlineMs);
  const source: Source<State> = { store, stream, evolve, deadline };
  let { state } = command;
  try {
    if (command.readFirst ?? true) state = await readOn(source, state);
    for (let attempt = 0; attempt < maxTries && performance.now() < deadline; attempt += 1) {
      const decision = decide(state);
      if ('refusal' in decision) return { outcome: 'refused', state, refusal: decision.refusal };
      if (decision.events.length === 0) return { outcome: 'done', state, events: [] };
      const appended = await store.append({
        stream,
        expectedRevision: state.revision,
        events: decision.events,
        deadlineMs: Math.max(1, deadline - performance.now()),
      });
      if (appended.outcome === 'unknown') return { outcome: 'undecided', cause: appended.cause };
      if (appended.outcome === 'appended') {
        const { position } = appended;
        state = foldAppended(state, decision.events, { stream, position, evolve });
        return { outcome: 'done', state, events: decision.events, position };
      }
      state = await readUntil(source, state, appended.actualRevision);
    }
  } catch (error) {
    // An event that can't be folded, or a decision that throws, is a bug: asking again would not help.
    if (!(error instanceof ReadFailed)) throw error;
    return { outcome: 'undecided', cause: error.cause };
  }
  return { outcome: 'undecided', cause: new Error('every try met a conflict') };
}

class ReadFailed extends Error {}

/** `deadline`: of the command as a whole, in `performance.now()`'s milliseconds. */
type Source<State extends { revision: number }> = Pick<
  Command<State, never>,
  'store' | 'stream' | 'evolve'
> & { deadline: number };

/** Folds the events after `state`, from the store. */
async function readOn<State extends { revision: number }>(
  { store, stream, evolve, deadline }: Source<State>,
  state: State,
): Promise<State> {
  const deadlineMs = Math.max(1, Math.min(longestReadMs, deadline - performance.now()));
  const reading = store.read(stream, { fromRevision: state.revision + 1, deadlineMs });
  const events = await reading.catch((cause: unknown) => {
    throw new ReadFailed('the stream could not be read', { cause });
  });
  return events.reduce(evolve, state);
}

/** A follower may not show the winner of a conflict at once: read until the revision that the error named. */
async function readUntil<State extends { revision: number }>(
  source: Source<State>,
  state: State,
  revision: number,
): Promise<State> {
  let current = await readOn(source, state);
  for (let round = 0; round < 20 && current.revision < Math.max(revision, state.revision + 1); round += 1) {
    await delay(10 * (round + 1));
    current = await readOn(source, current);
  }
  return current;
}

function foldAppended<State extends { revision: number }>(
  state: State,
  events: readonly NewEvent[],
  { stream, position, evolve }: { stream: string; position: bigint; evolve(s: State, e: StoredEvent): State },
): State {
  const created = new Date();
  return events.reduce(
    (folded, event) => evolve(folded, { ...event, stream, revision: folded.revision + 1, position, created }),
    state,
  );
}
