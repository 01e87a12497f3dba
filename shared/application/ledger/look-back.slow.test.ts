import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { createLedgers } from './ledgers.ts';
import { defaultSizes, type Sizes } from './memory.ts';
import { createLongLedger } from './testing/long-ledger.ts';
import type { Ledgers, PostRequest, PostResult } from './types.ts';

const origin = { actor: 'service:test', correlationId: 'c-1' };
const credit = (operationId: string): LedgerCommand => ({
  kind: 'credit',
  operationId,
  recorded: '1.00',
  commission: '0.00',
});

let clock = 0;
const stopping: Ledgers[] = [];
beforeEach(() => {
  clock = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  await Promise.all(stopping.splice(0).map((ledgers) => ledgers.stop()));
  vi.useRealTimers();
});

function ledgerOf(pastLength: number, sizes: Sizes = defaultSizes) {
  const past = createLongLedger(pastLength);
  const ledgers = createLedgers({ store: past.store, now: () => clock, sizes });
  stopping.push(ledgers);
  const post = (command: LedgerCommand, more: Partial<PostRequest> = {}): Promise<PostResult> =>
    ledgers.post({
      ...command,
      shopId: 's',
      currency: 'RUB',
      dueSince: 0n,
      origin,
      ...more,
    } as PostRequest);
  let posted = 0;
  /** Posts payments that have just ended, for which the newest page is enough. */
  const postShallow = async (count: number) => {
    const dueSince = past.headPosition();
    const names = Array.from({ length: count }, () => `shallow-${posted++}`);
    const results = await Promise.all(names.map((name) => post(credit(name), { dueSince })));
    expect(results.filter(({ outcome }) => outcome !== 'posted')).toEqual([]);
  };
  return { past, ledgers, post, postShallow };
}

function pass(ms: number) {
  clock += ms;
  vi.advanceTimersByTime(ms);
}

it.each([
  ['100,000 entries', 100_000, 15, defaultSizes],
  // With these sizes, entries are evicted repeatedly while the ledger is read back.
  [
    'more entries than the cache holds',
    40_000,
    6,
    { firstPage: 20, page: 1_000, generation: 50, older: 80 },
  ],
])(
  'serves other commands while it reads back %s; a retry resumes where it stopped',
  async (_what, pastLength, pagesATry, sizes) => {
    const { past, ledgers, post, postShallow } = ledgerOf(pastLength, sizes);
    const tries: PostResult[] = [];
    const waiting: number[] = [];
    for (let result: PostResult | undefined; result?.outcome !== 'posted' && tries.length < 20;) {
      const deep = post(credit('past-0'), { deadlineMs: 5_000 });
      past.allow(pagesATry);
      const answered = deep.then(() => 'answered');
      if ((await Promise.race([answered, past.hangs()])) !== 'answered') {
        await postShallow(300);
        waiting.push(ledgers.load().waiting);
        pass(5_000);
      }
      result = await deep;
      tries.push(result);
    }
    expect(tries.at(-1)).toMatchObject({ outcome: 'posted', repeated: true, revision: 0 });
    expect(tries.slice(0, -1).every(({ outcome }) => outcome === 'undecided')).toBe(true);
    expect(tries).toHaveLength(Math.ceil(pastLength / sizes.page / pagesATry));
    // Only the deep command ever waits.
    expect(waiting).toEqual(tries.slice(1).map(() => 1));
    // No page is read twice.
    expect(past.pages).toEqual([...new Set(past.pages)].toSorted((one, other) => other - one));
  },
  60_000,
);

it('stops reading once every command is abandoned', async () => {
  const { past, post, ledgers } = ledgerOf(20_000);
  const deep = post(credit('past-0'), { deadlineMs: 5_000 });
  await past.hangs();
  pass(5_000);
  expect(await deep).toMatchObject({ outcome: 'undecided' });
  past.allow(100);
  await ledgers.stop();
  expect(past.pages).toHaveLength(1);
});

it('shares page reads among commands; later ones read only the missing pages', async () => {
  const sizes = { ...defaultSizes, older: 0 };
  const { past, post } = ledgerOf(40_000, sizes);
  const first = ['past-0', 'past-1', 'new'].map((name) => post(credit(name)));
  past.allow(5);
  await past.hangs();
  const later = ['past-2', 'past-35500'].map((name) => post(credit(name)));
  past.allow(100);
  expect(await Promise.all([...first, ...later])).toMatchObject([
    { revision: 0 },
    { revision: 1 },
    { repeated: false },
    { revision: 2 },
    { repeated: true, revision: 35_500 },
  ]);
  expect(past.pages.length).toBeLessThanOrEqual(40 + 12);
});

it('finishes the first command despite a stream of later ones', async () => {
  const { past, post } = ledgerOf(10_000, { ...defaultSizes, older: 0 });
  const deep = post(credit('past-0'));
  let ended = false;
  const end = deep.then(() => (ended = true));
  past.allow(5);
  for (let each = 0; !ended && each < 60; each += 1) {
    await Promise.race([past.hangs(), end]);
    const before = past.headPosition();
    // Each arrives too late for the hanging page, and needs a search from the newest entry.
    void post(credit(`new-${each}`), { dueSince: before - 30_000n });
    await turn();
    await turn();
    past.allow(1);
  }
  expect(ended).toBe(true);
  past.allow(1_000);
});

it('does not answer from entries evicted while a page was being read', async () => {
  const sizes = { firstPage: 20, page: 10, generation: 50, older: 10_000 };
  const { past, post, postShallow } = ledgerOf(200, sizes);
  const dueSince = past.headPosition();
  const deep = post(credit('past-0'));
  await past.hangs();
  await postShallow(300);
  await postShallow(300);
  past.allow(1);
  await past.hangs();
  const again = post(credit('shallow-0'), { dueSince });
  past.allow(1_000);
  expect(await Promise.all([deep, again])).toMatchObject([
    { repeated: true, revision: 0 },
    { repeated: true, revision: 200 },
  ]);
});

it('finds entries posted after a search, after any number of evictions', async () => {
  const sizes = { firstPage: 20, page: 10, generation: 50, older: 60 };
  const { past, post, postShallow } = ledgerOf(200, sizes);
  past.allow(1_000);
  expect(await post(credit('new'))).toMatchObject({ repeated: false, revision: 200 });
  for (let round = 0; round < 3; round += 1) await postShallow(300);
  expect(await post(credit('new'))).toMatchObject({ repeated: true, revision: 200 });
});

it('preserves the order of commands on one reservation', async () => {
  const { past, post, postShallow } = ledgerOf(5_000);
  const about = { operationId: 'o-1', reservation: 1 };
  const order: string[] = [];
  const noting = (name: string) => (result: PostResult) => {
    order.push(name);
    return result;
  };
  const dueSince = past.headPosition();
  const reserve = post({ kind: 'reserve', ...about, amount: '10.00' }).then(noting('reserve'));
  const capture = post(
    { kind: 'capture', ...about, reserved: '10.00', recorded: '4.00', commission: '1.00' },
    { dueSince },
  ).then(noting('capture'));
  await past.hangs();
  // In a separate batch, and decidable at once, but it must wait for the two before it.
  const release = post({ kind: 'release', ...about }, { dueSince }).then(noting('release'));
  await postShallow(3);
  expect(order).toEqual([]);
  past.allow(100);
  expect(await Promise.all([reserve, capture, release])).toMatchObject([
    { outcome: 'posted', revision: 5_003 },
    { outcome: 'posted', revision: 5_004, entry: { reserved_after: '0.00' } },
    { outcome: 'refused', code: 'reservation_closed' },
  ]);
  expect(order).toEqual(['reserve', 'capture', 'release']);
});

it('posts a release together with its pending reserve, without a separate search', async () => {
  const { past, post } = ledgerOf(5_000);
  const about = { operationId: 'o-1', reservation: 1 };
  const dueSince = past.headPosition();
  const reserve = post({ kind: 'reserve', ...about, amount: '10.00' }, { dueSince });
  const release = post({ kind: 'release', ...about, reserved: '10.00' });
  expect(await Promise.all([reserve, release])).toMatchObject([
    { revision: 5_000 },
    { revision: 5_001 },
  ]);
  expect(past.pages).toEqual([]);
});
