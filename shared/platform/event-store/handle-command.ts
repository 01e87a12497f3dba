import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, NewEvent, StoredEvent } from './types.ts';

/** How a kind of stream is read: its state before the first event, and after one more. */
export type StreamFold<State, Event> = {
  initial: State;
  /** @throws if this version does not know an event */
  decode(stored: StoredEvent): Event;
  evolve(state: State, event: Event, stored: StoredEvent): State;
};

/** The result of a decision: events to append (none: nothing to do), or a refusal. */
export type Decision<Event> = { events: readonly Event[] } | { refusal: unknown };
/** The refusals that a decision may be. */
type RefusalOf<D> = D extends { refusal: infer Refusal } ? Refusal : never;

export type CommandResult<State, D extends Decision<unknown>> =
  /**
   * `position`: of the last event that was appended; undefined if there was nothing to append.
   */
  | {
      outcome: 'done';
      state: State;
      decision: Extract<D, { events: unknown }>;
      position?: bigint;
    }
  | { outcome: 'refused'; state: State; refusal: RefusalOf<D> }
  /**
   * The outcome of the append is unknown, or every try met a conflict. The caller must repeat the
   * command, and must not decide anything else.
   */
  | { outcome: 'undecided'; cause: unknown };

/** Thrown by a decision that can't be made now; the command is undecided, with its cause. */
export class UndecidedCommand extends Error {
  constructor(cause: unknown) {
    super('the decision could not be made now', { cause });
  }
}

/** See `seal` of a command. */
export type Seal<State, Event> = (
  events: readonly Event[],
  state: State,
  mayBeStale: boolean,
) => Promise<readonly Event[] | undefined>;

type Command<State extends { revision: number }, Event, D extends Decision<Event>> = {
  store: EventStore;
  stream: string;
  folding: StreamFold<State, Event>;
  /** A state that the caller has: the first try decides on it without a read. */
  fromState?: State | undefined;
  /**
   * That state may lack the newest events. Appending on it is safe, because the append checks
   * the revision; a decision that appends nothing is made again, on the events in the store.
   */
  mayBeStale?: boolean | undefined;
  decide(state: State): D | Promise<D>;
  /**
   * What may be stored of the events of a decision, which has personal data in plain text: once a
   * try, right before the append. Undefined: not on a state that may be stale.
   * @throws UndecidedCommand if it can't be known now
   */
  seal?: Seal<State, Event> | undefined;
  /** Makes the event to append; `index` is its number in the decision, from 0. */
  write(event: Event, index: number): NewEvent;
  deadlineMs?: number | undefined;
};

/** If several write to one stream all the time, one may lose dozens of times. */
const maxTries = 200;
const longestPauseMs = 20;
const defaultDeadlineMs = 10_000;
const longestReadMs = 5_000;

/**
 * Folds the stream, decides, and appends at the revision that was folded. After a conflict it reads
 * the new events and decides again, a limited number of times.
 */
export async function handleCommand<
  State extends { revision: number },
  Event,
  D extends Decision<Event>,
>(command: Command<State, Event, D>): Promise<CommandResult<State, D>> {
  const { store, stream, folding, fromState, decide, seal, write } = command;
  const deadline = performance.now() + (command.deadlineMs ?? defaultDeadlineMs);
  const source: Source<State, Event> = { store, stream, folding, deadline };
  let mayBeStale = fromState !== undefined && command.mayBeStale === true;
  try {
    let state = fromState ?? (await readOn(source, folding.initial));
    for (let attempt = 0; attempt < maxTries && performance.now() < deadline; attempt += 1) {
      const decision: Decision<Event> = await decide(state);
      const decided = 'events' in decision ? decision.events : [];
      const sealed = seal && decided.length > 0 ? await seal(decided, state, mayBeStale) : decided;
      if (mayBeStale && !sealed?.length) {
        state = await readOn(source, state);
        mayBeStale = false;
        continue;
      }
      if ('refusal' in decision)
        return { outcome: 'refused', state, refusal: decision.refusal as RefusalOf<D> };
      const done = { outcome: 'done', decision: decision as never } as const;
      if (!sealed) throw new Error('events of a confirmed state are always sealed');
      if (sealed.length === 0) return { ...done, state };
      const events = sealed.map((event, index) => write(event, index));
      const deadlineMs = Math.max(1, deadline - performance.now());
      const appended = await store.append({
        stream,
        expectedRevision: state.revision,
        events,
        deadlineMs,
      });
      if (appended.outcome === 'unknown') return { outcome: 'undecided', cause: appended.cause };
      if (appended.outcome === 'appended') {
        const { position } = appended;
        const location = { stream, position, created: new Date() };
        for (const [at, event] of sealed.entries()) {
          const stored = { ...(events[at] as NewEvent), ...location, revision: state.revision + 1 };
          state = folding.evolve(state, event, stored);
        }
        return { ...done, state, position };
      }
      // Writers that retry at once would stay in step, and the same one would lose every time.
      if (attempt > 0) await delay(Math.random() * Math.min(2 ** attempt, longestPauseMs));
      state = await readUntil(source, state, appended.actualRevision);
      mayBeStale = false;
    }
  } catch (error) {
    // An event that can't be folded, or a decision that throws, is a bug: a retry would not help.
    if (!(error instanceof ReadFailed || error instanceof UndecidedCommand)) throw error;
    return { outcome: 'undecided', cause: error.cause };
  }
  return { outcome: 'undecided', cause: new Error('every try met a conflict') };
}

class ReadFailed extends Error {}

/** `deadline`: of the command as a whole, in `performance.now()`'s milliseconds. */
type Source<State extends { revision: number }, Event> = {
  store: EventStore;
  stream: string;
  folding: StreamFold<State, Event>;
  deadline: number;
};

/** Folds the events after `state`, from the store. */
async function readOn<State extends { revision: number }, Event>(
  { store, stream, folding, deadline }: Source<State, Event>,
  state: State,
): Promise<State> {
  const deadlineMs = Math.max(1, Math.min(longestReadMs, deadline - performance.now()));
  const reading = store.read(stream, { fromRevision: state.revision + 1, deadlineMs });
  const events = await reading.catch((cause: unknown) => {
    throw new ReadFailed('the stream could not be read', { cause });
  });
  return foldStored(folding, events, state);
}

/**
 * A follower of the store's leader may not have the event yet that caused a conflict: it is read
 * until it shows the revision that the error named.
 */
async function readUntil<State extends { revision: number }, Event>(
  source: Source<State, Event>,
  state: State,
  revision: number,
): Promise<State> {
  let current = await readOn(source, state);
  for (
    let round = 0;
    round < 20 && current.revision < Math.max(revision, state.revision + 1);
    round += 1
  ) {
    await delay(10 * (round + 1));
    current = await readOn(source, current);
  }
  return current;
}

/** The state after these events. @throws if this version does not know an event */
export function foldStored<State, Event>(
  folding: StreamFold<State, Event>,
  events: readonly StoredEvent[],
  from: State = folding.initial,
): State {
  return events.reduce(
    (state, stored) => folding.evolve(state, folding.decode(stored), stored),
    from,
  );
}
