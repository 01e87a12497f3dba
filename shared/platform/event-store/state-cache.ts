import { LRUCache } from 'lru-cache';
import type { LoggedEvent, StoredEvent } from './types.ts';

export type AnyState = { revision: number };
type CachedState = {
  state: AnyState;
  evolve(state: AnyState, event: StoredEvent): AnyState | undefined;
  /**
   * If this is the current epoch of the poll, the state has every event of its stream up to the
   * last poll. Otherwise it is an earlier state of the stream.
   */
  epoch: number | undefined;
};
/** `seenRevision`: the newest event that a poll saw of a stream during its load. */
type Load = { loads: number; seenRevision: number };

/**
 * Folded states by their streams, the least recently used first, and which streams are being
 * loaded.
 */
export class StateCache {
  readonly #states: LRUCache<string, CachedState>;
  readonly #loading = new Map<string, Load>();

  constructor(maxStates: number) {
    this.#states = new LRUCache({ max: maxStates });
  }

  find(stream: string): CachedState | undefined {
    return this.#states.get(stream);
  }

  set(stream: string, state: CachedState): void {
    this.#states.set(stream, state);
  }

  /** Applies an event of the log to the state of its stream. */
  take(event: LoggedEvent): void {
    const load = this.#loading.get(event.stream);
    if (load) load.seenRevision = Math.max(load.seenRevision, event.revision);
    const entry = this.#states.get(event.stream);
    if (!entry || event.revision <= entry.state.revision) return;
    const follows = event.revision === entry.state.revision + 1;
    const next = follows ? evolved(entry, event.read()) : undefined;
    if (next) entry.state = next;
    else this.#states.delete(event.stream);
  }

  beginLoad(stream: string): Load {
    const load = this.#loading.get(stream) ?? { loads: 0, seenRevision: -1 };
    this.#loading.set(stream, load);
    load.loads += 1;
    return load;
  }

  endLoad(stream: string, load: Load): void {
    load.loads -= 1;
    if (load.loads === 0) this.#loading.delete(stream);
  }
}

function evolved({ state, evolve }: CachedState, event: StoredEvent): AnyState | undefined {
  try {
    return evolve(state, event);
  } catch {
    // The next load of the stream reports what is wrong.
    return undefined;
  }
}
