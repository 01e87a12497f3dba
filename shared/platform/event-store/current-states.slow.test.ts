import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCurrentStates } from './current-states.ts';
import type { LoggedEvent, StoredEvent } from './types.ts';

type State = { revision: number };

/** A log in memory. `nextTick`: the ticks before an answer is computed, and before it arrives. */
function scriptedLog(nextTick: () => number) {
  const log: LoggedEvent[] = [];
  const calls = { polls: 0, load: 0, polledAfter: 0n };
  let unavailable = false;
  /** How many events of the log this process has received. */
  let sent = 0;
  const pause = async () => {
    for (let ticks = nextTick(); ticks > 0; ticks -= 1) await Promise.resolve();
  };
  const answer = async <T>(make: () => T): Promise<T> => {
    await pause();
    if (unavailable) throw new Error('the store is unavailable');
    const made = make();
    await pause();
    return made;
  };
  const streamOf = (stream: string) => log.filter((event) => event.stream === stream);
  return {
    calls,
    setUnavailable: (value: boolean) => {
      unavailable = value;
    },
    /** Delivers all events to the process except the newest `butFor`. */
    send: (butFor: number) => {
      sent = Math.max(sent, log.length - butFor);
    },
    /** Acknowledged as soon as it returns. */
    append: (stream: string) => {
      const revision = streamOf(stream).length;
      const position = BigInt(log.length + 1);
      const event = { stream, revision, position } as StoredEvent;
      log.push({ stream, revision, position, read: () => event });
      return { revision, position };
    },
    revisionOf: (stream: string) => streamOf(stream).length - 1,
    store: {
      followed: (after: bigint) =>
        log
          .slice(0, sent)
          .filter(({ position }) => position > after)
          .map((event) => event.read()),
      head: () => answer(() => log.at(-1)?.position ?? 0n),
      readLog: ({ after, maxCount }: { after: bigint; maxCount: number }) => {
        calls.polls += 1;
        calls.polledAfter = after;
        return answer(() => ({
          events: log.filter(({ position }) => position > after).slice(0, maxCount),
          gap: false,
        }));
      },
    },
    kind: {
      load: (stream: string) => {
        calls.load += 1;
        return answer((): State => ({ revision: streamOf(stream).length - 1 }));
      },
      evolve: (_state: State, event: StoredEvent): State => ({ revision: event.revision }),
    },
  };
}

/** Runs everything that needs no timer to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const atOnce = () => 0;

async function warm() {
  const log = scriptedLog(atOnce);
  let nowMs = 0;
  const states = createCurrentStates(log.store, { now: () => nowMs, maxStates: 3 });
  const reader = states.reader(log.kind);
  await reader.read('any');
  await settled();
  return { log, reader, states, pass: (ms: number) => (nowMs += ms) };
}

describe('cached state', () => {
  it('is updated from the log instead of loaded again', async () => {
    const { log, reader } = await warm();
    log.append('a');
    expect(await reader.read('a')).toEqual({ revision: 0 });
    const { load } = log.calls;
    log.append('a');
    expect(await reader.read('a')).toEqual({ revision: 1 });
    expect(log.calls.load).toBe(load);
  });

  it('is updated with received events, and a poll reads only the events after those', async () => {
    const { log, reader } = await warm();
    log.append('a');
    expect(await reader.read('a')).toEqual({ revision: 0 });
    const { load } = log.calls;
    const { position } = log.append('a');
    log.append('a');
    log.send(1);
    expect(await reader.read('a')).toEqual({ revision: 2 });
    expect(log.calls).toMatchObject({ load, polledAfter: position });
  });

  it('needs two polls for 50 concurrent reads', async () => {
    const { log, reader } = await warm();
    await reader.read('a');
    const { polls } = log.calls;
    await Promise.all(Array.from({ length: 50 }, () => reader.read('a')));
    expect(log.calls.polls).toBe(polls + 2);
  });

  it('can be put into the cache by a caller that has just folded it', async () => {
    const { log, reader } = await warm();
    const { revision, position } = log.append('a');
    reader.put('a', { state: { revision }, position });
    const { load } = log.calls;
    expect(await reader.read('a')).toEqual({ revision: 0 });
    expect(log.calls.load).toBe(load);
  });

  it('ignores a put that is older than the last poll', async () => {
    const { log, reader } = await warm();
    const { revision, position } = log.append('a');
    log.append('a');
    await reader.read('other');
    reader.put('a', { state: { revision }, position });
    expect(await reader.read('a')).toEqual({ revision: 1 });
  });

  it('ignores a put that is older than the received events of a poll in progress', async () => {
    const { log, reader } = await warm();
    const { revision, position } = log.append('a');
    log.append('a');
    log.send(0);
    const polling = reader.read('other');
    reader.put('a', { state: { revision }, position });
    await polling;
    expect(await reader.read('a')).toEqual({ revision: 1 });
  });

  it('ignores puts while nothing reads', async () => {
    const { log, states } = await warm();
    const cached: (number | undefined)[] = [];
    const reader = states.reader<State>({
      ...log.kind,
      load: async (stream, state) => {
        cached.push(state?.revision);
        return log.kind.load(stream);
      },
    });
    for (let count = 0; count < 300; count += 1) {
      const { revision, position } = log.append(`new-${count}`);
      reader.put(`new-${count}`, { state: { revision }, position });
    }
    expect(await reader.read('new-299')).toEqual({ revision: 0 });
    expect(cached).toEqual([undefined]);
  });

  it('is evicted if it is the least recently used', async () => {
    const { log, reader } = await warm();
    for (const stream of ['a', 'b', 'c', 'd']) await reader.read(stream);
    const { load } = log.calls;
    for (const stream of ['d', 'c', 'b']) await reader.read(stream);
    expect(log.calls.load).toBe(load);
    await reader.read('a');
    expect(log.calls.load).toBe(load + 1);
  });

  it('is dropped if evolve returns undefined or throws', async () => {
    const { log, states } = await warm();
    const evolve = (_state: State, event: StoredEvent) => {
      if (event.revision === 1) throw new Error('no such event');
      return undefined;
    };
    const reader = states.reader<State>({ ...log.kind, evolve });
    for (const revision of [-1, 0, 1, 2]) {
      expect(await reader.read('a')).toEqual({ revision });
      log.append('a');
    }
  });

  /** A load that has already read its state, and returns it on `arrive`. */
  async function slowLoad() {
    const { log, states, reader: other, pass } = await warm();
    const answered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    let slow = true;
    const reader = states.reader<State>({
      ...log.kind,
      load: async (stream) => {
        const state = { revision: log.revisionOf(stream) };
        answered.resolve();
        if (slow) await gate.promise;
        slow = false;
        return state;
      },
    });
    const read = reader.read('a');
    await answered.promise;
    return { log, reader, other, pass, arrive: () => (gate.resolve(), read) };
  }

  it('is not cached if a poll has passed an event that its load missed', async () => {
    const { log, reader, other, arrive } = await slowLoad();
    log.append('a');
    await other.read('b');
    expect(await arrive()).toEqual({ revision: -1 });
    expect(await reader.read('a')).toEqual({ revision: 0 });
  });

  it('is not cached if polling stopped and resumed during its load', async () => {
    const { log, reader, other, pass, arrive } = await slowLoad();
    for (let count = 0; count < 1_500; count += 1) log.append('busy');
    log.append('a');
    await other.read('b');
    pass(1_000);
    await other.read('b');
    await settled();
    await arrive();
    expect(await reader.read('a')).toEqual({ revision: 0 });
  });

  it('is loaded without a poll while polls cost too much; polling resumes later', async () => {
    const { log, reader, pass } = await warm();
    await reader.read('a');
    for (let count = 0; count < 1_500; count += 1) log.append('busy');
    expect(await reader.read('a')).toEqual({ revision: -1 });
    const { polls } = log.calls;
    expect(await reader.read('busy')).toEqual({ revision: 1_499 });
    expect(log.calls.polls).toBe(polls);
    pass(1_000);
    await reader.read('a');
    await settled();
    await reader.read('a');
    expect(log.calls.polls).toBe(polls + 1);
  });

  it('is loaded again after polling stopped and resumed', async () => {
    const { log, reader, pass } = await warm();
    await reader.read('a');
    for (let count = 0; count < 1_500; count += 1) log.append('busy');
    log.append('a');
    await reader.read('b');
    pass(1_000);
    await reader.read('b');
    await settled();
    expect(await reader.read('a')).toEqual({ revision: 0 });
  });

  it('is the starting point of a load while the log is not polled', async () => {
    const { log, states } = await warm();
    const from: (number | undefined)[] = [];
    const reader = states.reader<State>({
      ...log.kind,
      load: async (stream, cached) => {
        from.push(cached?.revision);
        return log.kind.load(stream);
      },
    });
    const { revision, position } = log.append('a');
    reader.put('a', { state: { revision }, position });
    for (let count = 0; count < 1_500; count += 1) log.append('busy');
    log.append('a');
    expect(await reader.read('a')).toEqual({ revision: 1 });
    log.append('a');
    expect(await reader.read('a')).toEqual({ revision: 2 });
    expect(from).toEqual([0, 1]);
  });

  it('is loaded without a poll after too many writes of this process', async () => {
    const { log, reader } = await warm();
    for (let count = 0; count < 300; count += 1) {
      const { revision, position } = log.append('a');
      reader.put('a', { state: { revision }, position });
    }
    const { polls } = log.calls;
    expect(await reader.read('a')).toEqual({ revision: 299 });
    expect(log.calls.polls).toBe(polls);
    await settled();
    await reader.read('a');
    expect(log.calls.polls).toBe(polls + 1);
  });

  it('is not returned while the store is unavailable', async () => {
    const { log, reader } = await warm();
    await reader.read('a');
    log.setUnavailable(true);
    await expect(reader.read('a')).rejects.toThrow('unavailable');
    await expect(reader.read('a')).rejects.toThrow('unavailable');
    log.append('a');
    log.setUnavailable(false);
    expect(await reader.read('a')).toEqual({ revision: 0 });
  });
});

it('never returns a state older than what was acknowledged before the read', async () => {
  const command = fc.record({
    kind: fc.constantFrom('append', 'append and put', 'read', 'read', 'send', 'flood', 'wait'),
    stream: fc.constantFrom('a', 'b', 'c', 'd'),
    after: fc.nat({ max: 6 }),
  });
  const scripts = fc.tuple(
    fc.array(command, { maxLength: 60 }),
    fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 40 }),
  );
  let older = 0;
  await fc.assert(
    fc.asyncProperty(scripts, async ([commands, ticks]) => {
      let tick = 0;
      const log = scriptedLog(() => ticks[(tick += 1) % ticks.length] ?? 0);
      let nowMs = 0;
      const states = createCurrentStates(log.store, { now: () => nowMs, maxStates: 3 });
      const reader = states.reader(log.kind);
      const reads: Promise<void>[] = [];
      for (const { kind, stream, after } of commands) {
        for (let count = 0; count < after; count += 1) await Promise.resolve();
        nowMs += 300;
        if (kind === 'read') {
          const acknowledged = log.revisionOf(stream);
          const read = async () => {
            if ((await reader.read(stream)).revision < acknowledged) older += 1;
          };
          reads.push(read());
        } else if (kind === 'send') log.send(after);
        else if (kind === 'flood') {
          for (let count = 0; count < 400; count += 1) log.append('busy');
        } else if (kind === 'wait') await settled();
        else {
          const { revision, position } = log.append(stream);
          if (kind === 'append and put') {
            await Promise.resolve();
            reader.put(stream, { state: { revision }, position });
          }
        }
      }
      await Promise.all(reads);
    }),
    { numRuns: 500 },
  );
  expect(older).toBe(0);
});
