import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { accounts, ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { toMinor } from '#shared/domain/ledger/minor.ts';
import { moved, noEntry, positionAfter, violationsAfter } from '#shared/domain/ledger/position.ts';
import { keyOfEntry, keysOfCommand } from '#shared/domain/ledger/reference.ts';
import { createLedgers } from './ledgers.ts';
import { decodeEntry } from './memory.ts';
import { creditAt } from './testing/long-ledger.ts';
import { faultyStore, type FaultyStore, type Step } from './testing/faulty-store.ts';
import type { Ledgers, PostRequest, PostResult } from './types.ts';

/**
 * The ledgers of two processes on one store that loses requests and replies. They execute the
 * commands of real callers: payouts with their reservations, payments, adjustments and late money,
 * each repeated, concurrently and in any order.
 */

const stream = ledgerStream('s', 'RUB');
const limit = '50.00';
const floor = -toMinor(limit);
// Small enough that a few dozen entries exceed the cache and must be read back.
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
/** Which owner gets the command, and how many times concurrently. */
const caller = fc.record({ owner: fc.nat(1), times: fc.integer({ min: 1, max: 3 }) });
const scenarios = fc.oneof(
  fc.record({
    subject: fc.constant('payout' as const),
    amount,
    caller: fc.tuple(caller, caller, caller),
    end: fc.constantFrom('capture', 'partial', 'release', 'give up', 'abandon'),
    /** Another process closes the reservation, possibly while it is in progress. */
    raced: fc.boolean(),
  }),
  fc.record({ subject: fc.constant('payment' as const), amount, caller }),
  fc.record({ subject: fc.constant('adjustment' as const), amount, minus: fc.boolean(), caller }),
  fc.record({
    subject: fc.constant('late' as const),
    amount,
    type: fc.constantFrom('payment', 'payout'),
    caller,
  }),
);
type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never;
type Caller = { owner: number; times: number };

/**
 * `deep`: the command has been due since the start. `impatient`: the first caller gives up
 * immediately. `sees`: this process follows the log, and has received all of it.
 */
type Manner = { deep: boolean; impatient: boolean; sees: boolean };
const plain: Manner = { deep: false, impatient: false, sees: false };

function driver(store: FaultyStore, owners: readonly Ledgers[], manners: readonly Manner[] = []) {
  let posts = 0;
  const answers: { request: PostRequest; result: PostResult }[] = [];

  const receiveLog = (ledgers: Ledgers) => {
    for (const event of store.log) ledgers.applyPosted({ ...event, read: () => event });
  };
  const isPostedInLog = (request: PostRequest) =>
    store.log
      .map((event) => decodeEntry(event))
      .some(
        (entry) =>
          entry.kind === request.kind && keysOfCommand(request).includes(keyOfEntry(entry)),
      );

  /** Like a real caller, sends the same command to either process until it is answered. */
  const post = async (
    command: LedgerCommand,
    dueSince: bigint,
    { owner, times }: Caller,
  ): Promise<PostResult> => {
    const { deep, impatient, sees } = manners[posts++ % manners.length] ?? plain;
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
        if (sees) receiveLog(ledgers);
        if (ledgers.isPosted(request)) expect(isPostedInLog(request)).toBe(true);
        const posting = ledgers.post({ ...request, deadlineMs });
        // Events also arrive while commands are in progress.
        if (sees) void turn().then(() => receiveLog(ledgers));
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

  const run = async (scenario: Scenario, name: string): Promise<void> => {
    const dueSince = store.head();
    if (scenario.subject === 'payment')
      return void (await post(
        { kind: 'credit', operationId: name, recorded: scenario.amount, commission: '0.01' },
        dueSince,
        scenario.caller,
      ));
    if (scenario.subject === 'adjustment') {
      const signed = `${scenario.minus ? '-' : ''}${scenario.amount}`;
      return void (await post(
        { kind: 'adjustment', adjustmentId: name, amount: signed, reason: 'r' },
        dueSince,
        scenario.caller,
      ));
    }
    if (scenario.subject === 'late') {
      const { type: operationType, amount: late } = scenario;
      await post(
        { kind: 'suspense', operationId: name, legId: 'l', operationType, amount: late },
        dueSince,
        scenario.caller,
      );
      const about = { operationId: name, legId: 'l', operationType, amount: late } as const;
      const resolve = (note: string): LedgerCommand => ({
        kind: 'resolution',
        ...about,
        resolution: 'return',
        note,
      });
      // Two operators decide concurrently: only one decision counts.
      const both = await Promise.all([
        post(resolve('one'), dueSince, scenario.caller),
        post(resolve('other'), dueSince, scenario.caller),
      ]);
      expectOneDecision(both);
      return;
    }
    const {
      amount: total,
      caller: [first, second, third],
      end,
      raced,
    } = scenario;
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
  return { run, answers };
}

function expectOneDecision(results: readonly PostResult[]): void {
  expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['posted', 'refused']);
}

/** Checks every rule of the ledger after every entry. */
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
    // The end of a reservation releases exactly what it reserved.
    const ends = entry.kind === 'capture' || entry.kind === 'release';
    const reserved = ends ? (reserves.get(entry.operation_id) ?? 0n) : -moved(entry, 'reserved');
    expect(moved(entry, 'reserved')).toBe(-reserved);
    expect(keys).not.toContain(keyOfEntry(entry));
    keys.add(keyOfEntry(entry));
  }
  expect(position.reserved).toBe(0n);
}

const rounds = fc.array(fc.array(scenarios, { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 6,
});
const steps = fc.array(step, { maxLength: 200, size: 'max' });

/** Runs the scenarios round by round, and checks the ledger and the answers. */
async function play(
  allRounds: readonly (readonly Scenario[])[],
  store: FaultyStore,
  manners: readonly Manner[] = [],
) {
  const past = store.log.map(({ revision }) => revision);
  const owners = [0, 1].map(() => createLedgers({ store, sizes }));
  const { run, answers } = driver(store, owners, manners);
  for (const [round, concurrent] of allRounds.entries())
    await Promise.all(concurrent.map((each, index) => run(each, `op-${round}-${index}`)));
  await Promise.all(owners.map((owner) => owner.stop()));

  const entries = store.log.filter((event) => event.stream === stream).map(decodeEntry);
  expectSound(entries);
  // Every answer matches its entry in the log, and only one caller per entry was the first.
  const posted = answers.flatMap(({ result }) => (result.outcome === 'posted' ? [result] : []));
  for (const { revision, entry } of posted) expect(entries[revision]).toEqual(entry);
  const firsts = posted.filter(({ repeated }) => !repeated).map(({ revision }) => revision);
  expect(new Set(firsts).size).toBe(firsts.length);
  // Every entry was in an answer, except a reserve whose caller was answered that it is closed.
  const answered = new Set([...past, ...posted.map(({ revision }) => revision)]);
  expect(entries.filter(({ kind }, at) => kind !== 'reserve' && !answered.has(at))).toEqual([]);
}

it('stays consistent under lost and late requests, retries and races (R12.9)', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, steps, (allRounds, faults) => play(allRounds, faultyStore(faults))),
    { numRuns: 75 },
  );
});

it('stays consistent under deferred, abandoned and repeated commands', async () => {
  const manner = fc.record({ deep: fc.boolean(), impatient: fc.boolean(), sees: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      rounds,
      steps,
      fc.array(manner, { minLength: 1, maxLength: 40 }),
      async (allRounds, faults, manners) => {
        const store = faultyStore(faults);
        // Longer than the cache, so that deep commands require reading the ledger back.
        const history = Array.from({ length: 40 }, (_, revision) => creditAt(revision));
        store.force(stream, history);
        await play(allRounds, store, manners);
      },
    ),
    { numRuns: 75 },
  );
});
