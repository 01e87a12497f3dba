import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { createDatabase, type TestDatabase } from '#infra/verify/harness/stores/database.ts';
import { startOwnLog, type OwnLog } from '#infra/verify/harness/stores/own-log.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { decideReview } from '#shared/domain/operation/receipt/operator-review.ts';
import {
  decodeOperationEvent,
  operationStream,
  type OperationEvent,
} from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { evidenceStream } from '#shared/domain/evidence/events.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { readPosition } from '#shared/application/ledger/read-position.ts';
import { receiptKey } from '#shared/application/receipts/store.ts';
import type { ProcessorDatabase } from './due/postgres/tables.ts';
import { accountBalance, journalOf, entryKinds } from './testing/journal.ts';
import { createFakeProvider, leg, type FakeProvider } from './testing/fake-provider.ts';
import {
  acceptance,
  append,
  cancelled,
  givenPayment,
  givenPayout,
  paymentRoute,
} from './testing/operations.ts';
import { runProcessor, type TestProcessor } from './testing/processor.ts';

// A log for each test, because a processor works on every operation that it finds.
let log: OwnLog;
let store: EventStore;
let database: TestDatabase;
let provider: FakeProvider;
let shopId: string;
let processors: TestProcessor[] = [];
const receiptFiles = new Map<string, Uint8Array>();

beforeEach(async () => {
  log = await startOwnLog();
  store = connectEventStore(log.url);
  database = await createDatabase();
  provider = createFakeProvider();
  shopId = newId();
});
const stopAll = async () => {
  await Promise.all(processors.map((processor) => processor.stop()));
  processors = [];
};
afterEach(async () => {
  await stopAll();
  await database.drop();
  await store.close();
  await log.stop();
});

const run = (timings?: Parameters<typeof runProcessor>[0]['timings']) => {
  const receipts = { get: async (key: string) => receiptFiles.get(key) };
  const given = { store, databaseUrl: database.url, provider, receipts };
  const processor = runProcessor(timings ? { ...given, timings } : given);
  processors.push(processor);
  return processor;
};

const soon = { interval: 20 };
const typesIn = (stream: string) => async () => (await store.read(stream)).map(({ type }) => type);
const lastOf = (operationId: string) => async () =>
  (await store.read(operationStream(operationId))).at(-1)?.type;
const kinds = () => entryKinds(store, shopId);
const position = async () => {
  const read = await readPosition(store, { shopId, currency: 'RUB' });
  return read.outcome === 'consistent' ? [read.balance, read.reserved] : read;
};
const due = async () => {
  const db = connectDatabase<ProcessorDatabase>(database.url, { applicationName: 'look' });
  const rows = await db.selectFrom('processor.due').selectAll().orderBy('stream').execute();
  await db.destroy();
  return rows;
};
const whole = [leg('leg-1', '100.00')];

describe('a payment that ends', () => {
  test('with all of its money is credited once, less the commission (R12.5)', async () => {
    const operationId = await givenPayment(store, { shopId, answers: [acceptance()] });
    const { callback } = run();
    const sent = provider.callback(operationId, { status: 'completed', legs: whole });
    for (let time = 0; time < 3; time += 1) expect((await callback(sent)).status).toBe(204);
    await expect.poll(kinds(), soon).toEqual(['credit']);
    const journal = await journalOf(store, shopId);
    expect(journal[0]?.entry).toMatchObject({
      operation_id: operationId,
      legs: [
        { account: 'provider', amount: '-100.00' },
        { account: 'balance', amount: '99.00' },
        { account: 'commission', amount: '1.00' },
      ],
    });
    const end = (await store.read(operationStream(operationId))).at(-1);
    expect(journal[0]?.event.metadata).toMatchObject({
      actor: 'service:processor',
      causation_id: end?.id,
      correlation_id: end?.metadata.correlation_id,
    });
  });
});

describe('a payout that ends', () => {
  test('above the requested amount is captured in full, and an operator is notified once', async () => {
    const operationId = await givenPayout(store, { shopId, answer: acceptance() });
    const { callback } = run();
    const sent = provider.callback(operationId, {
      status: 'completed',
      legs: [leg('leg-1', '110.00')],
    });
    await callback(sent);
    await expect.poll(kinds(), soon).toEqual(['reserve', 'capture']);
    expect(await position()).toEqual(['-111.10', '0.00']);
    const lateFactsOf = async () =>
      (await store.read(lateStream(operationId))).map(({ type, data }) => ({ type, data }));
    const amounts = { currency: 'RUB', agreed_amount: '101.00', charged_amount: '111.10' };
    const once = [{ type: 'PayoutOvercharged', data: expect.objectContaining(amounts) }];
    await expect.poll(lateFactsOf, soon).toEqual(once);
    await callback(sent);
    run();
    await callback(sent);
    expect(await lateFactsOf()).toEqual(once);
  });
});

describe('a payout with an unknown outcome', () => {
  const unknown = { outcome: 'unknown', cause: 'timeout' } as const;

  test('is declined and released if its provider never received it', async () => {
    const operationId = await givenPayout(store, { shopId, answer: unknown });
    provider.down = true;
    run();
    const other = await givenPayout(store, { shopId, acceptInMs: 100 });
    await expect.poll(lastOf(other), soon).toBe('AttemptUnresolved');
    expect(await lastOf(operationId)()).toBe('AttemptUnresolved');
    expect(await position()).toEqual(['-202.00', '202.00']);
    provider.down = false;
    await expect.poll(lastOf(operationId), soon).toBe('OperationDeclined');
    await expect.poll(kinds(), soon).toEqual(['reserve', 'reserve', 'release', 'release']);
    expect(await position()).toEqual(['0.00', '0.00']);
  });

  test('continues once its provider has accepted it, to the status that it reports', async () => {
    const operationId = await givenPayout(store, { shopId, answer: unknown });
    provider.setReport(operationId, { status: 'completed', legs: whole });
    run();
    await expect.poll(kinds(), soon).toEqual(['reserve', 'capture']);
    expect((await typesIn(operationStream(operationId))()).slice(-2)).toEqual([
      'AttemptAccepted',
      'OperationCompleted',
    ]);
  });

  test('is polled at growing intervals while its provider has not decided, without a warning', async () => {
    const warn = vi.spyOn(logger, 'warn');
    const operationId = await givenPayout(store, { shopId, answer: unknown });
    provider.setReport(operationId, {}, unknown);
    run({ retryMs: 50, longestRetryMs: 100_000 });
    // The interval grows with the stored number of consecutive failures (timings.test.ts).
    const row = async () => (await due())[0];
    await expect
      .poll(async () => (await row())?.tries, soon)
      .toSatisfy((tries: number | undefined) => (tries ?? 0) >= 3);
    expect(await row()).toMatchObject({ last_error: 'poll: the provider has not decided' });
    expect(new Set(provider.polls)).toEqual(new Set([`${operationId}.1`]));
    expect(await lastOf(operationId)()).toBe('AttemptUnresolved');
    expect(await kinds()()).toEqual(['reserve']);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe('money after the terminal status', () => {
  test('of a payment goes to suspense leg by leg, and does not change the position (R13.8)', async () => {
    const operationId = await givenPayment(store, { shopId, answers: [acceptance()] });
    provider.setReport(operationId, { status: 'completed', legs: whole });
    const { callback } = run();
    await callback(provider.callback(operationId, { status: 'completed', legs: whole }));
    await expect.poll(kinds(), soon).toEqual(['credit']);
    const before = await position();
    const late = [...whole, leg('leg-2', '5.00')];
    for (let time = 0; time < 2; time += 1)
      await callback(provider.callback(operationId, { status: 'completed', legs: late }));
    await expect.poll(kinds(), soon).toEqual(['credit', 'suspense']);
    await callback(provider.callback(operationId, { legs: [...late, leg('leg-3', '7.00')] }));
    await expect.poll(kinds(), soon).toEqual(['credit', 'suspense', 'suspense']);
    expect(await position()).toEqual(before);
    const journal = await journalOf(store, shopId);
    expect(accountBalance(journal, 'suspense')).toBe('12.00');
    expect(journal[1]?.entry).toMatchObject({ operation_id: operationId, leg_id: 'leg-2' });
    const [received] = await store.read(lateStream(operationId));
    expect(journal[1]?.event.metadata.causation_id).toBe(received?.id);
    await expect.poll(due, soon).toEqual([]);
  });

  test('of a cancelled payment is posted if no other step is due', async () => {
    const operationId = await givenPayment(store, {
      shopId,
      answers: [acceptance()],
      after: [cancelled],
    });
    const { callback } = run();
    await expect.poll(lastOf(operationId), soon).toBe('AttemptWithdrawn');
    await expect.poll(due, soon).toEqual([]);
    await callback(provider.callback(operationId, { status: 'completed', legs: whole }));
    await expect.poll(kinds(), soon).toEqual(['suspense']);
    expect(await position()).toEqual(['0.00', '0.00']);
  });
});

describe('money that an operator approved', () => {
  const approve = async (answer: ReturnType<typeof acceptance>) => {
    const routes = [{ ...paymentRoute, requires_receipt: true }];
    const uploaded: OperationEvent[] = [
      {
        type: 'ReceiptUploaded',
        data: { receipt_id: 'r', sha256: 'h', size_bytes: 1, pdf: false },
      },
      { type: 'ReceiptSubmitted', data: { receipt_id: 'r', attempt: 1, taken: false } },
      { type: 'ManualCheckStarted', data: { receipt_id: 'r', reason: 'not_terminal' } },
    ];
    const operationId = await givenPayment(store, {
      shopId,
      answers: [answer],
      after: uploaded,
      routes,
    });
    const state = fold((await store.read(operationStream(operationId))).map(decodeOperationEvent));
    const nowIso = new Date().toISOString();
    const given = {
      actualAmount: '100.00',
      mayExceed: false,
      note: 'seen',
      legId: newId(),
      nowIso,
    } as const;
    const decided = decideReview(state, { decision: 'approve', ...given });
    if ('refusal' in decided) throw new Error(decided.refusal.code);
    await append(store, operationId, { events: decided.events, expectedRevision: state.revision });
    return operationId;
  };

  test('is polled for until its provider closes the attempt, since its callback may get lost', async () => {
    const operationId = await approve(acceptance());
    provider.setReport(operationId, {});
    run({ silenceMs: 100, longestSilenceMs: 200 });
    await expect.poll(() => provider.polls.length, soon).toBeGreaterThan(2);
    expect((await due()).map(({ stream }) => stream)).toEqual([operationStream(operationId)]);
    provider.setReport(operationId, { status: 'completed', legs: [leg('leg-1', '130.00')] });
    const late = typesIn(lateStream(operationId));
    await expect.poll(late, soon).toEqual(['ApprovedMoneyConfirmed', 'LateMoneyReceived']);
    await expect
      .poll(async () => (await kinds()()).toSorted(), soon)
      .toEqual(['credit', 'suspense']);
    expect(accountBalance(await journalOf(store, shopId), 'provider')).toBe('-130.00');
    await expect.poll(due, soon).toEqual([]);
    expect(provider.withdrawn).toEqual([]);
  });

  test('but its provider did not receive moves from the provider’s account to suspense (R13.19)', async () => {
    const operationId = await approve(acceptance());
    provider.setReport(operationId, { status: 'withdrawn', legs: [leg('leg-1', '60.00')] });
    run({ silenceMs: 100, longestSilenceMs: 200 });
    const late = typesIn(lateStream(operationId));
    await expect.poll(late, soon).toEqual(['ApprovedMoneyConfirmed', 'DifferenceReported']);
    await expect
      .poll(async () => (await kinds()()).toSorted(), soon)
      .toEqual(['credit', 'suspense']);
    const journal = await journalOf(store, shopId);
    expect(accountBalance(journal, 'provider')).toBe('-60.00');
    expect(accountBalance(journal, 'suspense')).toBe('-40.00');
    await expect.poll(due, soon).toEqual([]);
  });
});

test('two processors post one entry per terminal status, and poll no provider for evidence', async () => {
  const operationIds = await Promise.all(
    Array.from({ length: 30 }, () => givenPayment(store, { shopId, answers: [acceptance(200)] })),
  );
  for (const operationId of operationIds)
    provider.setReport(operationId, { status: 'completed', legs: whole });
  run();
  run();
  await expect.poll(async () => (await kinds()()).length, soon).toBe(30);
  await expect.poll(due, soon).toEqual([]);
  const journal = await journalOf(store, shopId);
  expect(
    new Set(journal.map(({ entry }) => entry.kind === 'credit' && entry.operation_id)),
  ).toEqual(new Set(operationIds));
  expect(await position()).toEqual(['2970.00', '0.00']);
  expect(provider.evidenceRequests).toEqual([]);
  for (const operationId of operationIds)
    expect(await store.read(evidenceStream(operationId))).toEqual([]);
});

test('after the loss of all tables, a processor repeats no step and no call', async () => {
  const payments = await Promise.all(
    Array.from({ length: 20 }, () => givenPayment(store, { shopId, answers: [acceptance()] })),
  );
  const payout = await givenPayout(store, { shopId, answer: acceptance() });
  const { callback } = run();
  for (const operationId of [...payments, payout]) {
    const report = { status: 'completed', legs: whole } as const;
    provider.setReport(operationId, report);
    await callback(provider.callback(operationId, report));
  }
  await callback(provider.callback(payout, { legs: [...whole, leg('leg-2', '1.00')] }));
  await expect.poll(async () => (await kinds()()).length, soon).toBe(23);
  await expect.poll(due, soon).toEqual([]);
  await stopAll();
  const journal = await journalOf(store, shopId);

  const db = connectDatabase<unknown>(database.url, { applicationName: 'loser' });
  await sql`drop schema processor cascade`.execute(db);
  await db.destroy();
  run();
  const head = await givenPayment(store, { shopId, acceptInMs: 50 });
  await expect.poll(lastOf(head), soon).toBe('AttemptWithdrawn');
  await expect.poll(due, soon).toEqual([]);
  expect(await journalOf(store, shopId)).toEqual(journal);
});

describe('a receipt that its request could not submit', () => {
  const receiptRoute = { ...paymentRoute, requires_receipt: true };
  const upload = async (pdf: boolean) => {
    const receiptId = newId();
    const operationId = await givenPayment(store, {
      shopId,
      routes: [receiptRoute],
      answers: [acceptance()],
      after: uploaded(receiptId, pdf),
    });
    receiptFiles.set(receiptKey(operationId, receiptId), Buffer.from('the file'));
    provider.setReport(operationId, {});
    return { operationId, receiptId };
  };
  const sha256 = hash('sha256', 'the file', 'hex');
  const uploaded = (receipt_id: string, pdf: boolean): OperationEvent[] => [
    { type: 'ReceiptUploaded', data: { receipt_id, sha256, size_bytes: 8, pdf } },
  ];

  test('is submitted once its provider responds', async () => {
    const { operationId, receiptId } = await upload(true);
    provider.down = true;
    run();
    const other = await givenPayment(store, { shopId, acceptInMs: 100 });
    await expect.poll(lastOf(other), soon).toBe('OperationDeclined');
    expect(await lastOf(operationId)()).toBe('ReceiptUploaded');
    provider.down = false;
    await expect.poll(lastOf(operationId), soon).toBe('ReceiptSubmitted');
    expect(provider.receipts).toEqual([
      { receiptId, content: 'the file', contentType: 'application/pdf' },
    ]);
  });

  test('waits for an operator if the provider accepts no receipts', async () => {
    const { operationId } = await upload(true);
    provider.refusesReceipts = true;
    run();
    await expect.poll(lastOf(operationId), soon).toBe('ManualCheckStarted');
  });

  test('is retried if its file cannot be read', async () => {
    const { operationId, receiptId } = await upload(true);
    receiptFiles.delete(receiptKey(operationId, receiptId));
    run();
    await expect
      .poll(due, soon)
      .toMatchObject([{ last_error: 'submit_receipt: the receipt file is not in the store' }]);
    receiptFiles.set(receiptKey(operationId, receiptId), Buffer.from('the file'));
    await expect.poll(lastOf(operationId), soon).toBe('ReceiptSubmitted');
  });

  test('is not submitted if its file was replaced (R9.13)', async () => {
    const { operationId, receiptId } = await upload(true);
    receiptFiles.set(receiptKey(operationId, receiptId), Buffer.from('A file'));
    run();
    const last_error = expect.stringContaining('another file than was uploaded');
    await expect.poll(due, soon).toMatchObject([{ last_error }]);
    expect(provider.receipts).toEqual([]);
  });
});

test('an inconsistent ledger stops the entries of its shop, but no other work (R12.17)', async () => {
  const bad = await givenPayment(store, { shopId, answers: [acceptance()] });
  const entry = {
    shop_id: shopId,
    currency: 'RUB',
    kind: 'adjustment',
    adjustment_id: 'a',
    reason: 'r',
  };
  const legs = [{ account: 'balance', amount: '1.00' }];
  await store.append({
    stream: `ledger-${shopId}-RUB`,
    expectedRevision: -1,
    events: [
      newEvent({
        type: 'EntryPosted',
        data: { ...entry, legs, balance_after: '1.00', reserved_after: '0.00' },
      }),
    ],
  });
  const good = await givenPayment(store, {
    shopId: newId(),
    answers: [acceptance()],
    after: [cancelled],
  });
  const { callback } = run();
  await callback(provider.callback(bad, { status: 'completed', legs: whole }));
  await expect.poll(lastOf(good), soon).toBe('AttemptWithdrawn');
  await expect
    .poll(due, soon)
    .toMatchObject([{ last_error: expect.stringContaining("post: the credit can't") }]);
});
