import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { createLedgers, type LedgersOptions } from './ledgers.ts';
import { LedgerInconsistent } from './memory.ts';
import { faultyStore, type FaultyStore, type Step } from './testing/faulty-store.ts';
import type { Ledgers, PostRequest } from './types.ts';

function start(store: FaultyStore, more: Partial<LedgersOptions> = {}): Ledgers {
  const ledgers = createLedgers({ store, ...more });
  onTestFinished(() => ledgers.stop());
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
const numberedNames = (count: number, name = 'p') =>
  Array.from({ length: count }, (_, each) => `${name}-${each}`);
const postAll = (ledgers: Ledgers, names: string[], more: Partial<PostRequest> = {}) =>
  Promise.all(names.map((name) => ledgers.post(at(credit(name), more))));
/** Appends the first entry with this change, as an attacker would. */
const forgeEntry = (store: FaultyStore, change: object) => {
  const data = { ...(store.log[0]?.data as object), ...change };
  const metadata = { correlation_id: 'c', actor: 'nobody', schema_version: 1 };
  store.force(ledgerStream('s', 'RUB'), [{ id: 'x', type: 'EntryPosted', data, metadata }]);
};
const fault = (kind: Step['fault']): Step => ({ before: 0, after: 0, fault: kind });

describe('post()', () => {
  it('returns the revision of the entry and records its cause', async () => {
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
        schema_version: 4,
      },
    });
  });

  it('writes waiting entries in batches of up to 256', async () => {
    const store = faultyStore();
    await postAll(start(store), numberedNames(600));
    expect(store.log).toHaveLength(600);
    expect(store.counts.appends).toBe(3);
  });

  it('limits a batch to the maximum append size of the store', async () => {
    const store = faultyStore();
    const reason = 'я'.repeat(2_000);
    const adjustments = numberedNames(256).map((adjustmentId) =>
      at({ kind: 'adjustment', adjustmentId, amount: '1.00', reason }),
    );
    const ledgers = start(store);
    await Promise.all(adjustments.map((request) => ledgers.post(request)));
    expect(store.log).toHaveLength(256);
    expect(store.counts.appends).toBeGreaterThan(3);
  });

  it('writes each shop and currency to its own stream', async () => {
    const store = faultyStore();
    const ledgers = start(store);
    await Promise.all([
      ledgers.post(at(credit('p-1'))),
      ledgers.post(at(credit('p-1'), { currency: 'USD' })),
      ledgers.post(at(credit('p-1'), { shopId: 't' })),
    ]);
    expect(new Set(store.log.map(({ stream }) => stream)).size).toBe(3);
  });

  it('fails only the invalid command of a batch', async () => {
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

  it('rejects a second, different request with the same reference', async () => {
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

  it('throws LedgerInconsistent and posts nothing on an inconsistent ledger', async () => {
    const store = faultyStore();
    await start(store).post(at(credit('p-1')));
    forgeEntry(store, { operation_id: 'p-2', balance_after: '7.00' });
    const posted = start(store).post(at(credit('p-3')));
    await expect(posted).rejects.toBeInstanceOf(LedgerInconsistent);
    await expect(posted).rejects.toMatchObject({
      revision: 1,
      violations: ['balance_after is 7.00, not 2.00'],
    });
    expect(store.log).toHaveLength(2);
  });
});

describe('an undecided outcome', () => {
  it('applies to the whole batch; a retry finds the written entries', async () => {
    const store = faultyStore([fault('none'), fault('reply lost')]);
    const ledgers = start(store);
    const first = await postAll(ledgers, numberedNames(3));
    expect(first.map(({ outcome }) => outcome)).toEqual(Array(3).fill('undecided'));
    expect(await postAll(ledgers, numberedNames(3))).toMatchObject(
      Array.from({ length: 3 }, (_, revision) => ({ outcome: 'posted', repeated: true, revision })),
    );
    expect(store.log).toHaveLength(3);
  });

  it('is returned while the store is unavailable', async () => {
    const ledgers = start(faultyStore([fault('read fails')]));
    expect(await ledgers.post(at(credit('p-1')))).toMatchObject({ outcome: 'undecided' });
    expect(await ledgers.post(at(credit('p-1')))).toMatchObject({ outcome: 'posted' });
  });

  it('is returned at the deadline; a queued command is not posted later', async () => {
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

  it('is returned immediately when the queue is full', async () => {
    const store = faultyStore();
    const results = await postAll(start(store), numberedNames(4_100));
    const undecided = results.filter(({ outcome }) => outcome === 'undecided');
    expect(undecided).toHaveLength(4);
    expect(store.log).toHaveLength(4_096);
  });
});

describe('the search for an existing entry', () => {
  const older = async (count: number) => {
    const store = faultyStore();
    await postAll(start(store), numberedNames(count));
    store.counts.eventsRead = 0;
    return store;
  };
  const sizes = { firstPage: 10, page: 100, generation: 50, older: 1_000 };

  it('goes back no further than the event that requires the entry', async () => {
    const store = await older(2_000);
    await start(store, { sizes }).post(at(credit('new'), { dueSince: store.head() }));
    expect(store.counts.eventsRead).toBe(10);
  });

  it('finds an entry at any revision without reading a page twice', async () => {
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

  it('finds an entry beyond the capacity of the cache', async () => {
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

  it('is known to be needless where memory goes back to when the entry was due', async () => {
    const store = await older(2_000);
    const ledgers = start(store, { sizes });
    const since = (revision: number) => ({ dueSince: store.log[revision]?.position ?? 0n });
    const isExplored = (revision: number) => ledgers.isExplored(at(credit('new'), since(revision)));
    expect(isExplored(1_999)).toBe(false);
    await ledgers.post(at(credit('p-1999'), since(1_999)));
    expect([isExplored(1_999), isExplored(1_995), isExplored(1_000)]).toEqual([true, true, false]);
  });

  it('is known to be needless for the end of a reservation in memory', async () => {
    const store = faultyStore();
    const ledgers = start(store);
    const payout = { operationId: 'o', reservation: 1 };
    const release = at({ kind: 'release', ...payout, reserved: '1.00' });
    await ledgers.post(at(credit('p-1'), { dueSince: store.head() }));
    await ledgers.post(at({ kind: 'reserve', ...payout, amount: '1.00', overdraftLimit: '9.00' }));
    expect(ledgers.isExplored(release)).toBe(true);
    expect(start(store).isExplored(release)).toBe(false);
  });

  it('needs no read for recent entries after the oldest are evicted', async () => {
    const store = faultyStore();
    const ledgers = start(store, { sizes });
    for (let round = 0; round < 10; round += 1)
      await postAll(ledgers, numberedNames(20, `round-${round}`));
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

describe('two processes on one ledger', () => {
  it('decide on each other’s entries, never on a stale balance', async () => {
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

  it('catch up when one is thousands of entries ahead', async () => {
    const store = faultyStore();
    const [one, other] = [start(store), start(store)];
    await one.post(at(credit('mine')));
    for (let round = 0; round < 2; round += 1)
      await postAll(other, numberedNames(2_500, `round-${round}`));
    expect(await one.post(at(credit('mine-2'), { dueSince: store.head() }))).toMatchObject({
      revision: 5_001,
    });
  });
});

describe('a ledger position', () => {
  it('equals the state after the newest entry (R12.2)', async () => {
    const ledgers = start(faultyStore());
    expect(await ledgers.position('s', 'RUB')).toEqual({
      outcome: 'consistent',
      balance: '0.00',
      reserved: '0.00',
      currentMinus: '0.00',
      revision: -1,
    });
    await postAll(ledgers, numberedNames(3));
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
    [
      'does not follow from the one before',
      { balance_after: '7.00' },
      'balance_after is 7.00, not 2.00',
    ],
    ['belongs to another ledger', { currency: 'USD' }, 'the entry is of shop s in USD'],
    ['is not an entry', { legs: undefined }, 'the event is not an entry'],
  ])('is inconsistent when the newest entry %s', async (_what, change, violation) => {
    const store = faultyStore();
    const ledgers = start(store);
    await ledgers.post(at(credit('p-1')));
    forgeEntry(store, { balance_after: '2.00', ...change });
    expect(await ledgers.position('s', 'RUB')).toEqual({
      outcome: 'inconsistent',
      stream: ledgerStream('s', 'RUB'),
      revision: 1,
      violations: [violation],
    });
  });

  it('rejects when the store is unavailable', async () => {
    await expect(start(faultyStore([fault('read fails')])).position('s', 'RUB')).rejects.toThrow(
      'away',
    );
  });
});

describe('ledgers in memory', () => {
  it('are bounded for any number of shops', async () => {
    const store = faultyStore();
    const ledgers = start(store, { maxIdleOwners: 50 });
    let most = 0;
    for (let shop = 0; shop < 3_000; shop += 20) {
      const shops = numberedNames(20, `shop-${shop}`);
      await Promise.all(shops.map((shopId) => ledgers.post(at(credit('p'), { shopId }))));
      most = Math.max(most, ledgers.load().owners);
    }
    expect(store.log).toHaveLength(3_000);
    expect(most).toBeLessThanOrEqual(70);
  });

  it('are not evicted while in use: a process has one owner per ledger', async () => {
    const store = faultyStore();
    const hanging = Promise.withResolvers<void>();
    const append: FaultyStore['append'] = async (request) => {
      if (request.stream === ledgerStream('busy', 'RUB')) await hanging.promise;
      return store.append(request);
    };
    const ledgers = start({ ...store, append }, { maxIdleOwners: 1 });
    const first = ledgers.post(at(credit('p-1'), { shopId: 'busy' }));
    for (const shopId of numberedNames(5)) await ledgers.post(at(credit('p'), { shopId }));
    const second = ledgers.post(at(credit('p-2'), { shopId: 'busy' }));
    expect(ledgers.load().waiting).toBe(1);
    hanging.resolve();
    expect(await Promise.all([first, second])).toMatchObject([{ revision: 0 }, { revision: 1 }]);
  });

  it('are evicted after an idle time', async () => {
    let now = 0;
    const ledgers = start(faultyStore(), { idleMs: 40, now: () => now });
    await ledgers.post(at(credit('p')));
    expect(ledgers.load()).toEqual({ owners: 1, waiting: 0 });
    now = 41;
    await expect.poll(() => ledgers.load().owners).toBe(0);
    expect(await ledgers.post(at(credit('p')))).toMatchObject({ repeated: true });
  });
});

it('finishes commands in progress on stop, and accepts no new ones', async () => {
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

describe('the cache of posted entries', () => {
  it('applies received entries of other processes, which avoids a conflict', async () => {
    const store = faultyStore();
    const [here, there] = [start(store), start(store)];
    await here.post(at(credit('p-0')));
    await postAll(there, numberedNames(3, 'q'));
    expect(here.isPosted(at(credit('q-2')))).toBe(false);
    await receive(store, here);
    expect(here.isPosted(at(credit('q-2')))).toBe(true);
    const { appends, reads } = store.counts;
    expect(await here.post(at(credit('p-9')))).toMatchObject({ outcome: 'posted', revision: 4 });
    expect(store.counts).toMatchObject({ appends: appends + 1, reads });
  });

  it('matches an entry by its whole command, including the amount', async () => {
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

  it('reads the entries of a gap at the next conflict', async () => {
    const store = faultyStore();
    const [here, there] = [start(store), start(store)];
    await here.post(at(credit('p-0')));
    await postAll(there, numberedNames(3, 'q'));
    await receive({ ...store, log: store.log.slice(2) }, here);
    expect(here.isPosted(at(credit('q-2')))).toBe(false);
    expect(await here.post(at(credit('p-9')))).toMatchObject({ outcome: 'posted', revision: 4 });
  });

  it('blocks all decisions after an entry that contradicts the ledger', async () => {
    const store = faultyStore();
    const here = start(store);
    await here.post(at(credit('p-0')));
    forgeEntry(store, { operation_id: 'p-1', balance_after: '7.00' });
    await receive(store, here);
    await expect(here.post(at(credit('p-2')))).rejects.toBeInstanceOf(LedgerInconsistent);
  });

  it('finds entries of its own process without a read', async () => {
    const store = faultyStore();
    const here = start(store);
    await here.post(at(credit('p-0')));
    const { reads } = store.counts;
    expect(await here.post(at(credit('p-0')))).toMatchObject({ outcome: 'posted', repeated: true });
    expect(store.counts.reads).toBe(reads);
  });
});
