import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { createLedgers, type LedgersOptions } from './ledgers.ts';
import { LedgerInconsistent } from './memory.ts';
import { faultyStore, type FaultyStore, type Step } from './testing/faulty-store.ts';
import type { Ledgers, PostRequest } from './types.ts';

const stopping: Ledgers[] = [];
afterEach(async () => {
  await Promise.all(stopping.splice(0).map((ledgers) => ledgers.stop()));
});

function start(store: FaultyStore, more: Partial<LedgersOptions> = {}): Ledgers {
  const ledgers = createLedgers({ store, ...more });
  stopping.push(ledgers);
  return ledgers;
}

const origin = {
  actor: 'operator:alice',
  correlationId: 'c-1',
  causationId: 'e-1',
  requestId: 'r-1',
};
const at = (command: LedgerCommand, more: Partial<PostRequest> = {}): PostRequest =>
  ({ ...command, shopId: 's', currency: 'RUB', dueSince: 0n, origin, ...more }) as PostRequest;
const credit = (operationId: string): LedgerCommand => ({
  kind: 'credit',
  operationId,
  recorded: '1.00',
  commission: '0.00',
});
const many = (count: number, name = 'p') =>
  Array.from({ length: count }, (_, each) => `${name}-${each}`);
const postAll = (ledgers: Ledgers, names: string[], more: Partial<PostRequest> = {}) =>
  Promise.all(names.map((name) => ledgers.post(at(credit(name), more))));
const fault = (kind: Step['fault']): Step => ({ before: 0, after: 0, fault: kind });

describe('posting', () => {
  it('returns the revision of the entry, and records its cause', async () => {
    const store = faultyStore();
    const result = await start(store).post(at(credit('p-1')));
    expect(result).toMatchObject({
      outcome: 'posted',
      repeated: false,
      revision: 0,
      entry: { kind: 'credit', balance_after: '1.00' },
    });
    expect(store.log[0]).toMatchObject({
      stream: ledgerStream('s', 'RUB'),
      type: 'EntryPosted',
      metadata: {
        actor: 'operator:alice',
        correlation_id: 'c-1',
        causation_id: 'e-1',
        request_id: 'r-1',
        schema_version: 3,
      },
    });
  });

  it('writes waiting entries in batches of up to 256', async () => {
    const store = faultyStore();
    await postAll(start(store), many(600));
    expect(store.log).toHaveLength(600);
    expect(store.counts.appends).toBe(3);
  });

  it('writes batches of at most the store’s size', async () => {
    const store = faultyStore();
    const reason = 'я'.repeat(2_000);
    const adjustments = many(256).map((adjustmentId) =>
      at({ kind: 'adjustment', adjustmentId, amount: '1.00', reason }),
    );
    const ledgers = start(store);
    await Promise.all(adjustments.map((request) => ledgers.post(request)));
    expect(store.log).toHaveLength(256);
    expect(store.counts.appends).toBeGreaterThan(3);
  });

  it('separates ledgers', async () => {
    const store = faultyStore();
    const ledgers = start(store);
    await Promise.all([
      ledgers.post(at(credit('p-1'))),
      ledgers.post(at(credit('p-1'), { currency: 'USD' })),
      ledgers.post(at(credit('p-1'), { shopId: 't' })),
    ]);
    expect(new Set(store.log.map(({ stream }) => stream)).size).toBe(3);
  });

  it('fails a nonsensical command alone', async () => {
    const store = faultyStore();
    const ledgers = start(store);
    const wrong = { ...credit('wrong'), commission: '2.00' } as LedgerCommand;
    const [first, second, third] = await Promise.allSettled([
      ledgers.post(at(credit('p-1'))),
      ledgers.post(at(wrong)),
      ledgers.post(at(credit('p-2'))),
    ]);
    expect(second).toMatchObject({ status: 'rejected' });
    expect([first, third]).toMatchObject([{ value: { revision: 0 } }, { value: { revision: 1 } }]);
  });

  it('throws if two different requests have one reference', async () => {
    const ledgers = start(faultyStore());
    await ledgers.post(at(credit('p-1')));
    const other = { ...credit('p-1'), recorded: '2.00' } as LedgerCommand;
    await expect(ledgers.post(at(other))).rejects.toThrow(
      /second, different credit: revision 0 is recorded/,
    );
    const adjustment = {
      kind: 'adjustment',
      adjustmentId: 'a',
      amount: '1.00',
      reason: 'r',
    } as const;
    await ledgers.post(at(adjustment));
    expect(await ledgers.post(at({ ...adjustment, amount: '2.00' }))).toEqual({
      outcome: 'refused',
      code: 'adjustment_conflict',
    });
  });

  it('decides nothing on an inconsistent ledger', async () => {
    const store = faultyStore();
    await start(store).post(at(credit('p-1')));
    const [entry] = store.log;
    const forged = { ...(entry?.data as object), operation_id: 'p-2', balance_after: '7.00' };
    const metadata = { correlation_id: 'c', actor: 'nobody', schema_version: 1 };
    store.force(ledgerStream('s', 'RUB'), [
      { id: 'x', type: 'EntryPosted', data: forged, metadata },
    ]);
    const posted = start(store).post(at(credit('p-3')));
    await expect(posted).rejects.toBeInstanceOf(LedgerInconsistent);
    await expect(posted).rejects.toMatchObject({
      revision: 1,
      violations: ['balance_after is 7.00, not 2.00'],
    });
    expect(store.log).toHaveLength(2);
  });
});

describe('an unknown outcome', () => {
  it('is undecided for the whole batch, and the retry finds the written entries', async () => {
    const store = faultyStore([fault('none'), fault('reply lost')]);
    const ledgers = start(store);
    const first = await postAll(ledgers, many(3));
    expect(first.map(({ outcome }) => outcome)).toEqual(Array(3).fill('undecided'));
    expect(await postAll(ledgers, many(3))).toMatchObject(
      Array.from({ length: 3 }, (_, revision) => ({ outcome: 'posted', repeated: true, revision })),
    );
    expect(store.log).toHaveLength(3);
  });

  it('is undecided while the store is unavailable', async () => {
    const ledgers = start(faultyStore([fault('read fails')]));
    expect(await ledgers.post(at(credit('p-1')))).toMatchObject({ outcome: 'undecided' });
    expect(await ledgers.post(at(credit('p-1')))).toMatchObject({ outcome: 'posted' });
  });

  it('is undecided at the deadline, and a waiting command is not posted later', async () => {
    const hanging = Promise.withResolvers<never>();
    const store = faultyStore();
    let appends = 0;
    const append: FaultyStore['append'] = (request) => {
      appends += 1;
      return appends === 1 ? hanging.promise : store.append(request);
    };
    const ledgers = start({ ...store, append });
    const inFlight = ledgers.post(at(credit('p-1'), { deadlineMs: 30 }));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const queued = ledgers.post(at(credit('p-2'), { deadlineMs: 30 }));
    expect(await Promise.all([inFlight, queued])).toMatchObject([
      { outcome: 'undecided' },
      { outcome: 'undecided' },
    ]);
    hanging.reject(new Error('gone'));
    await ledgers.stop();
    expect(store.log).toHaveLength(0);
  });

  it('is undecided at once when the queue is full', async () => {
    const store = faultyStore();
    const results = await postAll(start(store), many(4_100));
    const undecided = results.filter(({ outcome }) => outcome === 'undecided');
    expect(undecided).toHaveLength(4);
    expect(store.log).toHaveLength(4_096);
  }, 30_000);
});

describe('whether an entry is posted', () => {
  const older = async (count: number) => {
    const store = faultyStore();
    await postAll(start(store), many(count));
    store.counts.eventsRead = 0;
    return store;
  };
  const sizes = { firstPage: 10, page: 100, generation: 50, older: 1_000 };

  it('is not searched for before the event that requires it', async () => {
    const store = await older(2_000);
    await start(store, { sizes }).post(at(credit('new'), { dueSince: store.head() }));
    expect(store.counts.eventsRead).toBe(10);
  });

  it('is found at any revision, and costs no second read', async () => {
    const store = await older(1_000);
    const ledgers = start(store, { sizes });
    const since = store.log[500]?.position ?? 0n;
    expect(await ledgers.post(at(credit('p-501'), { dueSince: since }))).toMatchObject({
      repeated: true,
      revision: 501,
    });
    const { eventsRead } = store.counts;
    expect(eventsRead).toBeLessThan(620);
    expect(await ledgers.post(at(credit('p-700'), { dueSince: since }))).toMatchObject({
      repeated: true,
      revision: 700,
    });
    expect(store.counts.eventsRead).toBe(eventsRead + 1);
  });

  it('is found beyond the capacity of the memory', async () => {
    const store = await older(1_000);
    const ledgers = start(store, { sizes: { ...sizes, older: 20 } });
    expect(await ledgers.post(at(credit('p-0'), { dueSince: 0n }))).toMatchObject({
      repeated: true,
      revision: 0,
    });
    expect(await ledgers.post(at(credit('new'), { dueSince: 0n }))).toMatchObject({
      repeated: false,
      revision: 1_000,
    });
  });

  it('is known for later entries after the oldest are evicted', async () => {
    const store = faultyStore();
    const ledgers = start(store, { sizes });
    for (let round = 0; round < 10; round += 1) await postAll(ledgers, many(20, `round-${round}`));
    const dueSince = store.log[180]?.position ?? 0n;
    store.counts.reads = 0;
    expect(await ledgers.post(at(credit('new'), { dueSince }))).toMatchObject({ repeated: false });
    expect(store.counts.reads).toBe(0);
    expect(await ledgers.post(at(credit('round-0-0'), { dueSince: 0n }))).toMatchObject({
      repeated: true,
      revision: 0,
    });
  });
});

describe('another process at the same ledger', () => {
  it('causes a conflict at the exact revision, and its entries count', async () => {
    const store = faultyStore();
    const [one, other] = [start(store), start(store)];
    const reserve = (operationId: string): LedgerCommand => ({
      kind: 'reserve',
      operationId,
      reservation: 1,
      amount: '60.00',
      overdraftLimit: '0.00',
    });
    const topUp = (adjustmentId: string): LedgerCommand => ({
      kind: 'adjustment',
      adjustmentId,
      amount: '100.00',
      reason: 'top-up',
    });
    await one.post(at(topUp('a')));
    await other.post(at(reserve('o-1')));
    expect(await one.post(at(reserve('o-2')))).toMatchObject({
      code: 'insufficient_funds',
      balance: expect.stringMatching(/^-?\d+\.\d\d$/),
    });
    await other.post(at(topUp('b')));
    // A refusal must not depend on an old state of this process.
    expect(await one.post(at(reserve('o-2')))).toMatchObject({ outcome: 'posted', revision: 3 });
  });

  it('may be far ahead', async () => {
    const store = faultyStore();
    const [one, other] = [start(store), start(store)];
    await one.post(at(credit('mine')));
    for (let round = 0; round < 2; round += 1) await postAll(other, many(2_500, `round-${round}`));
    expect(await one.post(at(credit('mine-2'), { dueSince: store.head() }))).toMatchObject({
      revision: 5_001,
    });
  }, 30_000);
});

describe('the position', () => {
  it('is what the newest entry states (R12.2)', async () => {
    const ledgers = start(faultyStore());
    expect(await ledgers.position('s', 'RUB')).toEqual({
      outcome: 'consistent',
      balance: '0.00',
      reserved: '0.00',
      currentMinus: '0.00',
      revision: -1,
    });
    await postAll(ledgers, many(3));
    const reserve = { kind: 'reserve', operationId: 'o', reservation: 1, amount: '10.00' } as const;
    await ledgers.post(at(reserve));
    await ledgers.post(at({ kind: 'adjustment', adjustmentId: 'a', amount: '-5.00', reason: 'r' }));
    expect(await ledgers.position('s', 'RUB')).toEqual({
      outcome: 'consistent',
      balance: '-12.00',
      reserved: '10.00',
      currentMinus: '2.00',
      revision: 4,
    });
  });

  it.each([
    ['does not follow', { balance_after: '7.00' }, 'balance_after is 7.00, not 2.00'],
    ['is another ledger’s', { currency: 'USD' }, 'the entry is of shop s in USD'],
    ['is no entry', { legs: undefined }, 'the event is not an entry'],
  ])('is inconsistent when the newest entry %s', async (_what, change, violation) => {
    const store = faultyStore();
    const ledgers = start(store);
    await ledgers.post(at(credit('p-1')));
    const forged = { ...(store.log[0]?.data as object), balance_after: '2.00', ...change };
    const metadata = { correlation_id: 'c', actor: 'nobody', schema_version: 1 };
    store.force(ledgerStream('s', 'RUB'), [
      { id: 'x', type: 'EntryPosted', data: forged, metadata },
    ]);
    expect(await ledgers.position('s', 'RUB')).toEqual({
      outcome: 'inconsistent',
      stream: ledgerStream('s', 'RUB'),
      revision: 1,
      violations: [violation],
    });
  });

  it('is unavailable when the store is', async () => {
    await expect(start(faultyStore([fault('read fails')])).position('s', 'RUB')).rejects.toThrow(
      'away',
    );
  });
});

describe('what is cached in memory', () => {
  it('is bounded for any number of shops', async () => {
    const store = faultyStore();
    const ledgers = start(store, { maxIdleOwners: 50 });
    let most = 0;
    for (let shop = 0; shop < 3_000; shop += 20) {
      const shops = many(20, `shop-${shop}`);
      await Promise.all(shops.map((shopId) => ledgers.post(at(credit('p'), { shopId }))));
      most = Math.max(most, ledgers.load().owners);
    }
    expect(store.log).toHaveLength(3_000);
    expect(most).toBeLessThanOrEqual(70);
  }, 30_000);

  it('is not dropped while in use: a ledger has one owner in a process', async () => {
    const store = faultyStore();
    const hanging = Promise.withResolvers<void>();
    const append: FaultyStore['append'] = async (request) => {
      if (request.stream === ledgerStream('busy', 'RUB')) await hanging.promise;
      return store.append(request);
    };
    const ledgers = start({ ...store, append }, { maxIdleOwners: 1 });
    const first = ledgers.post(at(credit('p-1'), { shopId: 'busy' }));
    for (const shopId of many(5)) await ledgers.post(at(credit('p'), { shopId }));
    const second = ledgers.post(at(credit('p-2'), { shopId: 'busy' }));
    expect(ledgers.load().waiting).toBe(1);
    hanging.resolve();
    expect(await Promise.all([first, second])).toMatchObject([{ revision: 0 }, { revision: 1 }]);
  });

  it('is dropped after a time without use', async () => {
    let now = 0;
    const ledgers = start(faultyStore(), { idleMs: 40, now: () => now });
    await ledgers.post(at(credit('p')));
    expect(ledgers.load()).toEqual({ owners: 1, waiting: 0 });
    now = 41;
    await expect.poll(() => ledgers.load().owners, { timeout: 20_000 }).toBe(0);
    expect(await ledgers.post(at(credit('p')))).toMatchObject({ repeated: true });
  });
});

it('accepts nothing after a stop, and finishes what is in progress', async () => {
  const store = faultyStore();
  const ledgers = start(store);
  const posting = ledgers.post(at(credit('p-1')));
  await ledgers.stop();
  expect(await posting).toMatchObject({ outcome: 'posted' });
  expect(await ledgers.post(at(credit('p-2')))).toMatchObject({ outcome: 'undecided' });
  expect(store.log).toHaveLength(1);
});

/** Passes the events of the log to a process, once it has no command in progress. */
async function receive({ log }: Pick<FaultyStore, 'log'>, ledgers: Ledgers): Promise<void> {
  await turn();
  for (const event of log) ledgers.applyPosted({ ...event, read: () => event });
}

describe('entries of another process', () => {
  it('are applied when received, so that the next post causes no conflict', async () => {
    const store = faultyStore();
    const [here, there] = [start(store), start(store)];
    await here.post(at(credit('p-0')));
    await postAll(there, many(3, 'q'));
    expect(here.isPosted(at(credit('q-2')))).toBe(false);
    await receive(store, here);
    expect(here.isPosted(at(credit('q-2')))).toBe(true);
    const { appends, reads } = store.counts;
    expect(await here.post(at(credit('p-9')))).toMatchObject({ outcome: 'posted', revision: 4 });
    expect(store.counts).toMatchObject({ appends: appends + 1, reads });
  });

  it('count as posted for the same command, and not for another amount', async () => {
    const store = faultyStore();
    const [here, there] = [start(store), start(store)];
    await here.post(at(credit('p-0')));
    await there.post(at(credit('p-1')));
    await receive(store, here);
    for (const name of ['p-0', 'p-1']) {
      expect(here.isPosted(at(credit(name)))).toBe(true);
      expect(here.isPosted(at({ ...credit(name), recorded: '2.00' } as LedgerCommand))).toBe(false);
    }
  });

  it('after a gap are read at the next conflict', async () => {
    const store = faultyStore();
    const [here, there] = [start(store), start(store)];
    await here.post(at(credit('p-0')));
    await postAll(there, many(3, 'q'));
    await receive({ ...store, log: store.log.slice(2) }, here);
    expect(here.isPosted(at(credit('q-2')))).toBe(false);
    expect(await here.post(at(credit('p-9')))).toMatchObject({ outcome: 'posted', revision: 4 });
  });

  it('that contradict the ledger stop all decisions on it', async () => {
    const store = faultyStore();
    const here = start(store);
    await here.post(at(credit('p-0')));
    const [first] = store.log;
    const forged = { ...(first?.data as object), operation_id: 'p-1', balance_after: '7.00' };
    const metadata = { correlation_id: 'c', actor: 'nobody', schema_version: 1 };
    store.force(ledgerStream('s', 'RUB'), [
      { id: 'x', type: 'EntryPosted', data: forged, metadata },
    ]);
    await receive(store, here);
    await expect(here.post(at(credit('p-2')))).rejects.toBeInstanceOf(LedgerInconsistent);
  });

  it('are found without a read if this process has posted them', async () => {
    const store = faultyStore();
    const here = start(store);
    await here.post(at(credit('p-0')));
    const { reads } = store.counts;
    expect(await here.post(at(credit('p-0')))).toMatchObject({ outcome: 'posted', repeated: true });
    expect(store.counts.reads).toBe(reads);
  });
});
