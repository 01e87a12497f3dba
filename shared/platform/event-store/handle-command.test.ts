import { describe, expect, it } from 'vitest';
import { newEvent, storedEvent } from './testing/new-event.ts';
import {
  handleCommand,
  UndecidedCommand,
  type Decision,
  type Seal,
  type StreamFold,
} from './handle-command.ts';
import type { AppendOutcome, EventStore, NewEvent, StoredEvent } from './types.ts';

type Counter = { revision: number; ids: string[] };
const nothing: Counter = { revision: -1, ids: [] };
const counters: StreamFold<Counter, { id: string }> = {
  initial: nothing,
  decode: ({ id }) => ({ id }),
  evolve: (state, { id }, { revision }) => ({ revision, ids: [...state.ids, id] }),
};

/**
 * A stream to which rivals write just before an append, `rivals` times. Their events are missing
 * from the next `hiddenReads` reads.
 */
function contested({ rivals, hiddenReads = 0 }: { rivals: number; hiddenReads?: number }) {
  const log: StoredEvent[] = [];
  let hidden = 0;
  let reads = 0;
  const push = (each: NewEvent) => log.push(storedEvent({ ...each, revision: log.length }));
  const store: Pick<EventStore, 'append' | 'read'> = {
    append: async ({ expectedRevision, events }): Promise<AppendOutcome> => {
      if (rivals > 0) {
        rivals -= 1;
        push(newEvent({ id: `rival-${log.length}` }));
        hidden = hiddenReads;
      }
      if (expectedRevision !== log.length - 1)
        return { outcome: 'conflict', actualRevision: log.length - 1 };
      for (const each of events) push(each);
      return { outcome: 'appended', revision: log.length - 1, position: BigInt(log.length - 1) };
    },
    read: async (_stream, { fromRevision = 0 } = {}) => {
      reads += 1;
      if (hidden > 0) {
        hidden -= 1;
        return [];
      }
      return log.slice(fromRevision);
    },
  };
  return { store: store as EventStore, log, reads: () => reads };
}

const run = <D extends Decision<{ id: string }>>(
  store: EventStore,
  decide: (state: Counter) => D,
  more: {
    fromState?: Counter;
    mayBeStale?: true;
    deadlineMs?: number;
    seal?: Seal<Counter, { id: string }>;
  } = {},
) =>
  handleCommand<Counter, { id: string }, D>({
    store,
    stream: 's',
    folding: counters,
    write: newEvent,
    decide,
    ...more,
  });
const mine = () => ({ events: [{ id: 'mine' }] });

describe('handleCommand', () => {
  it('appends at the revision that it folded (R17.1)', async () => {
    const { store, log } = contested({ rivals: 0 });
    const result = await run(store, mine);
    expect(result).toMatchObject({ outcome: 'done', state: { revision: 0, ids: ['mine'] } });
    expect(log).toHaveLength(1);
  });

  it('decides again on the state after a conflict (R17.1)', async () => {
    const { store } = contested({ rivals: 2 });
    const seen: number[] = [];
    const result = await run(store, (state) => {
      seen.push(state.ids.length);
      return mine();
    });
    expect(result).toMatchObject({
      outcome: 'done',
      state: { ids: ['rival-0', 'rival-1', 'mine'] },
    });
    expect(seen).toEqual([0, 1, 2]);
  });

  it('rereads until the winner of a conflict is visible, as on a lagging follower', async () => {
    const { store, reads } = contested({ rivals: 1, hiddenReads: 3 });
    const result = await run(store, mine);
    expect(result).toMatchObject({ outcome: 'done', state: { ids: ['rival-0', 'mine'] } });
    expect(reads()).toBeGreaterThan(3);
  });

  it('writes nothing on a refusal', async () => {
    const { store, log } = contested({ rivals: 0 });
    const result = await run(store, () => ({ refusal: { code: 'no' } }));
    expect(result).toMatchObject({ outcome: 'refused', refusal: { code: 'no' } });
    expect(log).toHaveLength(0);
  });

  it('does not retry an append whose outcome is unknown (R17.2)', async () => {
    const { store } = contested({ rivals: 0 });
    const cause = new Error('no reply');
    let appends = 0;
    const silent: EventStore = {
      ...store,
      append: async () => {
        appends += 1;
        return { outcome: 'unknown', cause };
      },
    };
    const result = await run(silent, () => ({ events: [{ id: `try-${appends}` }] }));
    expect(result).toEqual({ outcome: 'undecided', cause });
    expect(appends).toBe(1);
  });

  it('returns undecided if each attempt conflicts until the deadline', async () => {
    const { store } = contested({ rivals: Number.POSITIVE_INFINITY });
    expect(await run(store, mine, { deadlineMs: 100 })).toMatchObject({ outcome: 'undecided' });
  });

  it('does not read first if the caller passes the state', async () => {
    const { store, reads } = contested({ rivals: 0 });
    await run(store, mine, { fromState: nothing });
    expect(reads()).toBe(0);
  });

  it('returns undecided with the cause if the decision throws UndecidedCommand', async () => {
    const { store, log } = contested({ rivals: 0 });
    const cause = new Error('no key');
    const result = await run(store, (): { events: { id: string }[] } => {
      throw new UndecidedCommand(cause);
    });
    expect(result).toEqual({ outcome: 'undecided', cause });
    expect(log).toHaveLength(0);
  });
});

describe('handleCommand on a state that may be stale', () => {
  const stale = { fromState: nothing, mayBeStale: true } as const;

  it('appends without a read', async () => {
    const { store, reads } = contested({ rivals: 0 });
    const result = await run(store, mine, stale);
    expect(result).toMatchObject({ outcome: 'done', state: { ids: ['mine'] } });
    expect(reads()).toBe(0);
  });

  it.each([
    ['has nothing to append', { events: [] }],
    ['is a refusal', { refusal: { code: 'no' } }],
  ])('reads the newest events if the decision %s', async (_what, decision) => {
    const { store, log } = contested({ rivals: 0 });
    await run(store, mine);
    const seen: string[][] = [];
    const decide = ({ ids }: Counter) => {
      seen.push(ids);
      return decision;
    };
    const result = await run(store, decide, stale);
    expect(result).toMatchObject({ state: { ids: ['mine'] } });
    expect(seen).toEqual([[], ['mine']]);
    expect(log).toHaveLength(1);
  });
});

describe('handleCommand with events that are sealed', () => {
  const sealed = (id: string) => [{ id: `sealed ${id}` }];

  it('seals once a try, and appends and folds what is sealed', async () => {
    const { store, log } = contested({ rivals: 1 });
    const seen: number[] = [];
    const seal: Seal<Counter, { id: string }> = async ([event], { revision }) => {
      seen.push(revision);
      return sealed(event?.id ?? '');
    };
    const result = await run(store, mine, { seal });
    expect(result).toMatchObject({ outcome: 'done', state: { ids: ['rival-0', 'sealed mine'] } });
    expect(log.map(({ id }) => id)).toEqual(['rival-0', 'sealed mine']);
    expect(seen).toEqual([-1, 0]);
  });

  it('reads the newest events if a stale state is not enough to seal', async () => {
    const { store, log } = contested({ rivals: 0 });
    await run(store, () => ({ events: [{ id: 'first' }] }));
    const result = await run(store, mine, {
      fromState: nothing,
      mayBeStale: true,
      seal: async (_events, _state, mayBeStale) => (mayBeStale ? undefined : sealed('mine')),
    });
    expect(result).toMatchObject({ state: { ids: ['first', 'sealed mine'] } });
    expect(log).toHaveLength(2);
  });

  it('has nothing to seal for a refusal, or without events', async () => {
    const { store } = contested({ rivals: 0 });
    const seal = () => Promise.reject(new Error('nothing to seal'));
    expect(await run(store, () => ({ events: [] }), { seal })).toMatchObject({ outcome: 'done' });
    const refused = await run(store, () => ({ refusal: 'no' }), { seal });
    expect(refused).toMatchObject({ outcome: 'refused' });
  });

  it('is undecided, without an append, if it can’t be sealed now', async () => {
    const { store, log } = contested({ rivals: 0 });
    const cause = new Error('no key');
    const seal = () => Promise.reject(new UndecidedCommand(cause));
    expect(await run(store, mine, { seal })).toEqual({ outcome: 'undecided', cause });
    expect(log).toHaveLength(0);
  });
});
