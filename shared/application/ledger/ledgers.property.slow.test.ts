import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { accounts, ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { toMinor } from '#shared/domain/ledger/minor.ts';
import { moved, noEntry, positionAfter, violationsAfter } from '#shared/domain/ledger/position.ts';
import { keyOfEntry, keysOfCommand } from '#shared/domain/ledger/reference.ts';
import { createLedgers } from './ledgers.ts';
import { entryOf } from './memory.ts';
import { pastCredit } from './testing/long-store.ts';
import { faultyStore, type FaultyStore, type Step } from './testing/faulty-store.ts';
import type { Ledgers, PostRequest, PostResult } from './types.ts';

/**
 * The ledgers of two processes on one store that loses requests and replies. They get the commands
 * of real callers: payouts that reserve and end, payments, corrections and late money, each
 * repeated, concurrently and in any order.
 */

const stream = ledgerStream('s', 'RUB');
const limit = '50.00';
const floor = -toMinor(limit);
// Small, so that a few dozen entries are too many for the memory, and have to be read back.
const sizes = { firstPage: 3, page: 4, generation: 5, older: 6 };

const amount = fc
  .bigInt({ min: 1n, max: 9_999n })
  .map((minor) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`);
const step: fc.Arbitrary<Step> = fc.record({
  before: fc.nat(3),
  after: fc.nat(3),
  fault: fc.oneof(
    { weight: 8, arbitrary: fc.constant('none' as const) },
    fc.constantFrom('reply lost', 'request lost', 'request late', 'read fails'),
  ),
});
/** Which owner gets the command, and how many times at once. */
const asking = fc.record({ owner: fc.nat(1), times: fc.integer({ min: 1, max: 3 }) });
const story = fc.oneof(
  fc.record({
    tells: fc.constant('payout' as const),
    amount,
    asking: fc.tuple(asking, asking, asking),
    end: fc.constantFrom('capture', 'partial', 'release', 'give up', 'abandon'),
    /** Another process closes the reservation while it may be in progress. */
    raced: fc.boolean(),
  }),
  fc.record({ tells: fc.constant('payment' as const), amount, asking }),
  fc.record({ tells: fc.constant('adjustment' as const), amount, minus: fc.boolean(), asking }),
  fc.record({
    tells: fc.constant('late' as const),
    amount,
    type: fc.constantFrom('payment', 'payout'),
    asking,
  }),
);
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;
type Asking = { owner: number; times: number };

/**
 * `deep`: the command is owed since the start of the log. `impatient`: the first caller gives up at
 * once. `sees`: this process follows the log, and has received all of it.
 */
type Manner = { deep: boolean; impatient: boolean; sees: boolean };
const plain: Manner = { deep: false, impatient: false, sees: false };

function driver(store: FaultyStore, owners: readonly Ledgers[], manners: readonly Manner[] = []) {
  let asked = 0;
  const answers: { request: PostRequest; result: PostResult }[] = [];

  const comeBy = (ledgers: Ledgers) => {
    for (const event of store.log) ledgers.applyPosted({ ...event, read: () => event });
  };
  const isPostedInLog = (request: PostRequest) =>
    store.log
      .map((event) => entryOf(event))
      .some(
        (entry) =>
          entry.kind === request.kind && keysOfCommand(request).includes(keyOfEntry(entry)),
      );

  /**
   * As a caller does: sends the same command again, to either process, until there is an answer.
   */
  const post = async (
    command: LedgerCommand,
    dueSince: bigint,
    { owner, times }: Asking,
  ): Promise<PostResult> => {
    const { deep, impatient, sees } = manners[asked++ % manners.length] ?? plain;
    const request: PostRequest = {
      ...command,
      shopId: 's',
      currency: 'RUB',
      dueSince: deep ? 0n : dueSince,
      origin: { actor: 'service:test', correlationId: 'test' },
    };
    const ask = async (by: number): Promise<PostResult> => {
      for (let round = 0; round < 100; round += 1) {
        const deadlineMs = impatient && round === 0 ? 1 : 10_000;
        const ledgers = owners[(by + round) % 2] as Ledgers;
        if (sees) comeBy(ledgers);
        if (ledgers.isPosted(request)) expect(isPostedInLog(request)).toBe(true);
        const posting = ledgers.post({ ...request, deadlineMs });
        // Events also arrive while commands are in progress.
        if (sees) void turn().then(() => comeBy(ledgers));
        const result = await posting;
        if (result.outcome === 'undecided') continue;
        answers.push({ request, result });
        return result;
      }
      throw new Error('never decided');
    };
    const results = await Promise.all(
      Array.from({ length: times }, (_, index) => ask(owner + index)),
    );
    return results[0] as PostResult;
  };

  const tell = async (told: Story, name: string): Promise<void> => {
    const dueSince = store.head();
    if (told.tells === 'payment')
      return void (await post(
        { kind: 'credit', operationId: name, recorded: told.amount, commission: '0.01' },
        dueSince,
        told.asking,
      ));
    if (told.tells === 'adjustment') {
      const signed = `${told.minus ? '-' : ''}${told.amount}`;
      return void (await post(
        { kind: 'adjustment', adjustmentId: name, amount: signed, reason: 'r' },
        dueSince,
        told.asking,
      ));
    }
    if (told.tells === 'late') {
      const { type: operationType, amount: late } = told;
      await post(
        { kind: 'suspense', operationId: name, legId: 'l', operationType, amount: late },
        dueSince,
        told.asking,
      );
      const about = { operationId: name, legId: 'l', operationType, amount: late } as const;
      const resolve = (note: string): LedgerCommand => ({
        kind: 'resolution',
        ...about,
        resolution: 'return',
        note,
      });
      // Two operators decide at once: only one decision counts.
      const both = await Promise.all([
        post(resolve('one'), dueSince, told.asking),
        post(resolve('other'), dueSince, told.asking),
      ]);
      expectOneDecision(both);
      return;
    }
    const {
      amount: total,
      asking: [first, second, third],
      end,
      raced,
    } = told;
    const about = { operationId: name, reservation: 1 };
    const reserve: LedgerCommand = {
      kind: 'reserve',
      ...about,
      amount: total,
      overdraftLimit: limit,
    };
    const blind: LedgerCommand = { kind: 'release', ...about };
    const racing = raced ? post(blind, dueSince, third) : undefined;
    const reserved = end === 'abandon' ? undefined : await post(reserve, dueSince, first);
    await racing;
    if (reserved?.outcome !== 'posted' || end === 'give up' || end === 'abandon') {
      await post(blind, dueSince, second);
    } else if (end === 'release') {
      await post({ ...blind, reserved: total }, dueSince, second);
    } else {
      const recorded = end === 'partial' ? '0.01' : total;
      await post(
        { kind: 'capture', ...about, reserved: total, recorded, commission: '0.00' },
        dueSince,
        second,
      );
    }
    // A repeat of the reserve must show that the reservation is closed.
    expect(await post(reserve, dueSince, third)).toEqual({
      outcome: 'refused',
      code: 'reservation_closed',
    });
  };
  return { tell, answers };
}

function expectOneDecision(results: readonly PostResult[]): void {
  expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['posted', 'refused']);
}

/** Every rule of the books, after every entry. */
function expectSound(entries: readonly Entry[]): void {
  let position = noEntry;
  const totals = new Map(accounts.map((account) => [account, 0n]));
  const keys = new Set<string>();
  const reserves = new Map<string, bigint>();
  for (const [revision, entry] of entries.entries()) {
    expect(violationsAfter(position, entry)).toEqual([]);
    position = positionAfter(entry, revision);
    for (const account of accounts)
      totals.set(account, (totals.get(account) ?? 0n) + moved(entry, account));
    expect([...totals.values()].reduce((sum, each) => sum + each, 0n)).toBe(0n);
    expect({ balance: totals.get('balance'), reserved: totals.get('reserved') }).toEqual({
      balance: position.balance,
      reserved: position.reserved,
    });
    expect(position.reserved >= 0n).toBe(true);
    if (entry.kind === 'reserve') reserves.set(entry.operation_id, moved(entry, 'reserved'));
    expect(entry.kind !== 'reserve' || position.balance >= floor).toBe(true);
    // The end of a reservation takes exactly what it reserved.
    const ends = entry.kind === 'capture' || entry.kind === 'release';
    const reserved = ends ? (reserves.get(entry.operation_id) ?? 0n) : -moved(entry, 'reserved');
    expect(moved(entry, 'reserved')).toBe(-reserved);
    expect(keys).not.toContain(keyOfEntry(entry));
    keys.add(keyOfEntry(entry));
  }
  expect(position.reserved).toBe(0n);
}

const rounds = fc.array(fc.array(story, { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 6,
});
const steps = fc.array(step, { maxLength: 200, size: 'max' });

/** Plays the stories round by round, and checks the books and the answers. */
async function play(
  told: readonly (readonly Story[])[],
  store: FaultyStore,
  manners: readonly Manner[] = [],
) {
  const past = store.log.map(({ revision }) => revision);
  const owners = [0, 1].map(() => createLedgers({ store, sizes }));
  const { tell, answers } = driver(store, owners, manners);
  for (const [round, stories] of told.entries())
    await Promise.all(stories.map((each, index) => tell(each, `op-${round}-${index}`)));
  await Promise.all(owners.map((owner) => owner.stop()));

  const entries = store.log.filter((event) => event.stream === stream).map(entryOf);
  expectSound(entries);
  // Every answer has the entry in the log, and of all callers only one was the first.
  const posted = answers.flatMap(({ result }) => (result.outcome === 'posted' ? [result] : []));
  for (const { revision, entry } of posted) expect(entries[revision]).toEqual(entry);
  const firsts = posted.filter(({ repeated }) => !repeated).map(({ revision }) => revision);
  expect(new Set(firsts).size).toBe(firsts.length);
  // Every entry but a reserve was in an answer; the caller of such a reserve was told that the
  // reservation is closed.
  const known = new Set([...past, ...posted.map(({ revision }) => revision)]);
  expect(entries.filter(({ kind }, at) => kind !== 'reserve' && !known.has(at))).toEqual([]);
}

it('the ledger is correct with any losses, repeats, races and delays (R12.9)', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, steps, (told, faults) => play(told, faultyStore(faults))),
    { numRuns: 75 },
  );
}, 60_000);

it('the ledger is correct with deferred, abandoned and repeated commands', async () => {
  const manner = fc.record({ deep: fc.boolean(), impatient: fc.boolean(), sees: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      rounds,
      steps,
      fc.array(manner, { minLength: 1, maxLength: 40 }),
      async (told, faults, manners) => {
        const store = faultyStore(faults);
        // Longer than the memory, so that the ledger has to be read back for deep commands.
        const history = Array.from({ length: 40 }, (_, revision) => pastCredit(revision));
        store.force(stream, history);
        await play(told, store, manners);
      },
    ),
    { numRuns: 75 },
  );
}, 60_000);
