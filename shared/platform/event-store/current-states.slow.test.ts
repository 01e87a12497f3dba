import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCurrentStates } from './current-states.ts';
import type { LoggedEvent, StoredEvent } from './types.ts';

type State = { revision: number };

/** A log in memory. The script says when an answer is made, and when it arrives. */
function scriptedLog(nextTick: () => number) {
  const log: LoggedEvent[] = [];
  const calls = { look: 0, load: 0, lookedAfter: 0n };
  let away = false;
  /** How many events of the log this process has received. */
  let sent = 0;
  const pause = async () => {
    for (let ticks = nextTick(); ticks > 0; ticks -= 1) await Promise.resolve();
  };
  const answer = async <T>(take: () => T): Promise<T> => {
    await pause();
    if (away) throw new Error('the store is away');
    const taken = take();
    await pause();
    return taken;
  };
  const streamOf = (stream: string) => log.filter((event) => event.stream === stream);
  return {
    calls,
    setAway: (value: boolean) => {
      away = value;
    },
    /**
     * Sends the process all events but the newest ones; the argument says how many are left out.
     */
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
        calls.look += 1;
        calls.lookedAfter = after;
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

describe('states that are kept', () => {
  it('are not loaded again, and know what was appended meanwhile', async () => {
    const { log, reader } = await warm();
    log.append('a');
    expect(await reader.read('a')).toEqual({ revision: 0 });
    const { load } = log.calls;
    log.append('a');
    expect(await reader.read('a')).toEqual({ revision: 1 });
    expect(log.calls.load).toBe(load);
  });

  it('take what the process was sent, and look for what came after it alone', async () => {
    const { log, reader } = await warm();
    log.append('a');
    expect(await reader.read('a')).toEqual({ revision: 0 });
    const { load } = log.calls;
    const { position } = log.append('a');
    log.append('a');
    log.send(1);
    expect(await reader.read('a')).toEqual({ revision: 2 });
    expect(log.calls).toMatchObject({ load, lookedAfter: position });
  });

  it('share two looks, however many wait', async () => {
    const { log, reader } = await warm();
    await reader.read('a');
    const { look } = log.calls;
    await Promise.all(Array.from({ length: 50 }, () => reader.read('a')));
    expect(log.calls.look).toBe(look + 2);
  });

  it('are put in by whoever has just folded them', async () => {
    const { log, reader } = await warm();
    const { revision, position } = log.append('a');
    reader.put('a', { state: { revision }, position });
    const { load } = log.calls;
    expect(await reader.read('a')).toEqual({ revision: 0 });
    expect(log.calls.load).toBe(load);
  });

  it('are not put in when the log has been looked at beyond them', async () => {
    const { log, reader } = await warm();
    const { revision, position } = log.append('a');
    log.append('a');
    await reader.read('other');
    reader.put('a', { state: { revision }, position });
    expect(await reader.read('a')).toEqual({ revision: 1 });
  });

  it('are not put in when a look under way has gone beyond them by what the process was sent', async () => {
    const { log, reader } = await warm();
    const { revision, position } = log.append('a');
    log.append('a');
    log.send(0);
    const looking = reader.read('other');
    reader.put('a', { state: { revision }, position });
    await looking;
    expect(await reader.read('a')).toEqual({ revision: 1 });
  });

  it('are not put in while nobody reads', async () => {
    const { log, states } = await warm();
    const known: (number | undefined)[] = [];
    const reader = states.reader<State>({
      ...log.kind,
      load: async (stream, state) => {
        known.push(state?.revision);
        return log.kind.load(stream);
      },
    });
    for (let count = 0; count < 300; count += 1) {
      const { revision, position } = log.append(`new-${count}`);
      reader.put(`new-${count}`, { state: { revision }, position });
    }
    expect(await reader.read('new-299')).toEqual({ revision: 0 });
    expect(known).toEqual([undefined]);
  });

  it('make room for newer ones', async () => {
    const { log, reader } = await warm();
    for (const stream of ['a', 'b', 'c', 'd']) await reader.read(stream);
    const { load } = log.calls;
    for (const stream of ['d', 'c', 'b']) await reader.read(stream);
    expect(log.calls.load).toBe(load);
    await reader.read('a');
    expect(log.calls.load).toBe(load + 1);
  });

  it('are forgotten where their kind says so, or fails', async () => {
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

  /**
   * A load whose answer was made before an event, and arrives only when the test lets it through.
   */
  async function slowLoad() {
    const { log, states, reader: other, pass } = await warm();
    const taken = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    let slow = true;
    const reader = states.reader<State>({
      ...log.kind,
      load: async (stream) => {
        const state = { revision: log.revisionOf(stream) };
        taken.resolve();
        if (slow) await gate.promise;
        slow = false;
        return state;
      },
    });
    const read = reader.read('a');
    await taken.promise;
    return { log, reader, other, pass, arrive: () => (gate.resolve(), read) };
  }

  it('are not kept when a look has passed an event that their load had not seen', async () => {
    const { log, reader, other, arrive } = await slowLoad();
    log.append('a');
    await other.read('b');
    expect(await arrive()).toEqual({ revision: -1 });
    expect(await reader.read('a')).toEqual({ revision: 0 });
  });

  it('are not kept when the log was given up and taken up again during their load', async () => {
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

  it('are given up when following the log costs more than it saves, and taken up again later', async () => {
    const { log, reader, pass } = await warm();
    await reader.read('a');
    for (let count = 0; count < 1_500; count += 1) log.append('busy');
    expect(await reader.read('a')).toEqual({ revision: -1 });
    const { look } = log.calls;
    expect(await reader.read('busy')).toEqual({ revision: 1_499 });
    expect(log.calls.look).toBe(look);
    pass(1_000);
    await reader.read('a');
    await settled();
    await reader.read('a');
    expect(log.calls.look).toBe(look + 1);
  });

  it('are asked for again once the log was given up and taken up again', async () => {
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

  it('are what a load begins from, while the log is not followed', async () => {
    const { log, states } = await warm();
    const from: (number | undefined)[] = [];
    const reader = states.reader<State>({
      ...log.kind,
      load: async (stream, known) => {
        from.push(known?.revision);
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

  it('are not looked for where this process alone has appended too much', async () => {
    const { log, reader } = await warm();
    for (let count = 0; count < 300; count += 1) {
      const { revision, position } = log.append('a');
      reader.put('a', { state: { revision }, position });
    }
    const { look } = log.calls;
    expect(await reader.read('a')).toEqual({ revision: 299 });
    expect(log.calls.look).toBe(look);
    await settled();
    await reader.read('a');
    expect(log.calls.look).toBe(look + 1);
  });

  it('are no answer when the store is away', async () => {
    const { log, reader } = await warm();
    await reader.read('a');
    log.setAway(true);
    await expect(reader.read('a')).rejects.toThrow('away');
    await expect(reader.read('a')).rejects.toThrow('away');
    log.append('a');
    log.setAway(false);
    expect(await reader.read('a')).toEqual({ revision: 0 });
  });
});

it('no read is older than what was acknowledged before it, however calls interleave', async () => {
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
