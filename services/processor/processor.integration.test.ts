import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { createDatabase, type TestDatabase } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { DueStore } from './due/due-store.ts';
import type { ProcessorDatabase } from './due/postgres/tables.ts';
import { createFakeProvider, leg, type FakeProvider } from './testing/fake-provider.ts';
import { acceptance, append, cancelled, givenPayment, paymentRoute } from './testing/operations.ts';
import { runProcessor, type TestProcessor } from './testing/processor.ts';

// A separate log, because a processor works on every operation that it finds.
const log = ownLogForFile();
const store = storeForFile(() => log.url);
let database: TestDatabase;
let provider: FakeProvider;
let processors: TestProcessor[] = [];

beforeEach(async () => {
  database = await createDatabase();
  provider = createFakeProvider();
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(processors.map((processor) => processor.stop()));
  processors = [];
  await database.drop();
});

type ProcessorOptions = Parameters<typeof runProcessor>[0];
const run = (
  timings?: ProcessorOptions['timings'],
  more: Pick<ProcessorOptions, 'through'> = {},
) => {
  const given = { store, databaseUrl: database.url, provider, ...more };
  const processor = runProcessor(timings ? { ...given, timings } : given);
  processors.push(processor);
  return processor;
};

const typesOf = async (stream: string) => (await store.read(stream)).map(({ type }) => type);
const operationTypes = (operationId: string) => typesOf(operationStream(operationId));
const soon = { interval: 20 };
const typesIn = (operationId: string) => () => operationTypes(operationId);

describe('due work while PostgreSQL does not respond', () => {
  const withdrawn = 'AttemptWithdrawn';
  const lastOf = (operationId: string) => async () => (await operationTypes(operationId)).at(-1);

  /** A PostgreSQL that responds once it is `up`, and drops its leader when it goes `down`. */
  function outage() {
    let [isUp, leads] = [false, 0];
    let down = new AbortController();
    const through = (due: DueStore): DueStore => ({
      whileLeading: async (lead) => {
        if (!isUp) throw new Error('no answer');
        await due.whileLeading((session) => {
          leads += 1;
          return lead({ ...session, lost: AbortSignal.any([session.lost, down.signal]) });
        });
      },
    });
    return {
      through,
      leads: () => leads,
      set: (up: boolean) => {
        isUp = up;
        if (up) down = new AbortController();
        else down.abort();
      },
    };
  }

  test('continues, even after a start, and has one leader again once PostgreSQL responds (R19.7)', async () => {
    const postgres = outage();
    run({}, postgres);
    const first = await givenPayment(store, { acceptInMs: 50 });
    await expect.poll(lastOf(first), soon).toBe(withdrawn);
    expect(postgres.leads()).toBe(0);

    postgres.set(true);
    await expect.poll(postgres.leads, soon).toBe(1);
    const second = await givenPayment(store, { acceptInMs: 50 });
    await expect.poll(lastOf(second), soon).toBe(withdrawn);

    postgres.set(false);
    const third = await givenPayment(store, { acceptInMs: 50 });
    await expect.poll(lastOf(third), soon).toBe(withdrawn);
    expect(postgres.leads()).toBe(1);
    expect(provider.withdrawn).toEqual([first, second, third].map((id) => `${id}.1`));
  });
});

describe('due work while PostgreSQL refuses writes', () => {
  test('continues under the same leader, and is saved once writes are accepted (R19.7)', async () => {
    const db = connectDatabase<ProcessorDatabase>(database.url, { applicationName: 'refusals' });
    let [leads, refused, saved] = [0, 0, 0];
    const through = (due: DueStore): DueStore => ({
      whileLeading: (lead) =>
        due.whileLeading((session) => {
          leads += 1;
          const keep: typeof session.save = async (work) => {
            try {
              await session.save(work);
              saved += 1;
            } catch (error) {
              refused += 1;
              throw error;
            }
          };
          return lead({ ...session, save: keep });
        }),
    });
    const ids = [await givenPayment(store, { acceptInMs: 50 })];
    run({}, { through });
    await expect.poll(() => saved, soon).toBeGreaterThan(0);

    await sql`create function refuse() returns trigger language plpgsql
      as $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$`.execute(
      db,
    );
    await sql`create trigger refused before update on processor.feed
      execute function refuse()`.execute(db);
    const positions = () => db.selectFrom('processor.feed').select('position').execute();
    const before = await positions();
    ids.push(await givenPayment(store, { acceptInMs: 50 }));
    await expect.poll(() => refused, soon).toBeGreaterThan(2);
    ids.push(await givenPayment(store, { acceptInMs: 50 }));
    for (const id of ids)
      await expect
        .poll(async () => (await operationTypes(id)).at(-1), soon)
        .toBe('AttemptWithdrawn');
    expect(await positions()).toEqual(before);
    expect(leads).toBe(1);

    const savedBefore = saved;
    await sql`drop trigger refused on processor.feed`.execute(db);
    await expect.poll(() => saved, soon).toBeGreaterThan(savedBefore);
    expect(await positions()).not.toEqual(before);
    expect(leads).toBe(1);
    await db.destroy();
  });
});

describe('an abandoned create', () => {
  const rejected = [
    'OperationAdmitted',
    'AttemptStarted',
    'AttemptUnresolved',
    'OperationDeclined',
  ];

  test('is rejected after the acceptance wait, and its attempt is withdrawn (R7.12)', async () => {
    const operationId = await givenPayment(store, { acceptInMs: 200 });
    run();
    await expect.poll(typesIn(operationId), soon).toEqual([...rejected, 'AttemptWithdrawn']);
    expect(provider.withdrawn).toEqual([`${operationId}.1`]);
    const events = await store.read(operationStream(operationId));
    const declined = events.find(({ type }) => type === 'OperationDeclined');
    expect(declined?.data).toMatchObject({ reason: 'acceptance_timeout' });
    expect(declined?.metadata).toMatchObject({
      actor: 'service:processor',
      correlation_id: operationId,
      causation_id: events[1]?.id,
    });
    const [event] = await store.read(operationStream(operationId), {
      fromRevision: 3,
      maxCount: 1,
    });
    const admitted = events[0]?.data as { accept_until: string } | undefined;
    const acceptUntilMs = Date.parse(admitted?.accept_until ?? '');
    expect(event?.created.getTime()).toBeGreaterThanOrEqual(acceptUntilMs);
  });

  test('is withdrawn once its provider responds again (R7.11)', async () => {
    const operationId = await givenPayment(store, { acceptInMs: 50 });
    provider.down = true;
    run();
    await expect.poll(typesIn(operationId), soon).toEqual(rejected);
    provider.down = false;
    await expect.poll(typesIn(operationId), soon).toEqual([...rejected, 'AttemptWithdrawn']);
  });

  test('needs no withdrawal if its provider supports none and never received it (R7.17)', async () => {
    const rejectedOne = await givenPayment(store, { acceptInMs: 50 });
    const movedOn = await givenPayment(store, {
      answers: [{ outcome: 'unknown', cause: 'timeout' }, acceptance()],
    });
    const { withdraw: _, ...connector } = provider.connector;
    const rhythm = { firstAfterMs: 20, everyMs: 20, longestMs: 100 };
    provider.connector = { ...connector, reports: { by: 'polling', rhythm } };
    provider.setReport(movedOn, { attempt: 2 });
    run();
    await expect.poll(typesIn(rejectedOne), soon).toEqual([...rejected, 'AttemptWithdrawn']);
    await expect
      .poll(async () => (await operationTypes(movedOn)).at(-1), soon)
      .toBe('AttemptWithdrawn');
    expect(provider.withdrawn).toEqual([]);
  });
});

test('a cancelled payment is withdrawn at its provider; money received anyway goes to suspense', async () => {
  const calm = await givenPayment(store, { answers: [acceptance()], after: [cancelled] });
  const paid = await givenPayment(store, { answers: [acceptance()], after: [cancelled] });
  provider.setReport(paid, { status: 'completed', legs: [leg('leg-1', '100.00')] });
  const part = await givenPayment(store, { answers: [acceptance()], after: [cancelled] });
  provider.setReport(part, { status: 'open', legs: [leg('leg-1', '1.00')] });
  run();
  const types = ['OperationAdmitted', 'AttemptStarted', 'AttemptAccepted', 'OperationCancelled'];
  await expect.poll(typesIn(calm), soon).toEqual([...types, 'AttemptWithdrawn']);
  await expect.poll(typesIn(paid), soon).toEqual([...types, 'AttemptWithdrawn']);
  expect(await typesOf(lateStream(calm))).toEqual([]);
  expect(await typesOf(lateStream(paid))).toEqual(['LateMoneyReceived', 'LateStatusReported']);
  await expect.poll(typesIn(part), soon).toEqual([...types, 'AttemptWithdrawn']);
  expect(await typesOf(lateStream(part))).toEqual(['LateMoneyReceived']);
});

describe('a provider that hangs', () => {
  const withdrawn = [
    'OperationAdmitted',
    'AttemptStarted',
    'AttemptAccepted',
    'OperationCancelled',
  ];

  test('blocks no rejections and only a few calls', async () => {
    const hang = Promise.withResolvers<void>();
    provider.hangs = hang.promise;
    const cancelledIds = await Promise.all(
      Array.from({ length: 70 }, () =>
        givenPayment(store, { answers: [acceptance()], after: [cancelled] }),
      ),
    );
    run();
    await expect.poll(() => provider.withdrawing.length, soon).toBe(8);
    const abandoned = await givenPayment(store, { acceptInMs: 50 });
    await expect
      .poll(typesIn(abandoned), soon)
      .toEqual(['OperationAdmitted', 'AttemptStarted', 'AttemptUnresolved', 'OperationDeclined']);
    expect(provider.withdrawing).toHaveLength(8);
    provider.hangs = undefined;
    hang.resolve();
    await expect.poll(() => new Set(provider.withdrawn).size, soon).toBe(71);
    for (const operationId of cancelledIds)
      await expect.poll(typesIn(operationId), soon).toEqual([...withdrawn, 'AttemptWithdrawn']);
  });

  test('is called once, even if the call takes long', async () => {
    const hang = Promise.withResolvers<void>();
    provider.hangs = hang.promise;
    const operationId = await givenPayment(store, { answers: [acceptance()], after: [cancelled] });
    for (let count = 0; count < 2; count += 1)
      processors.push(runProcessor({ store, databaseUrl: database.url, provider }));
    await expect.poll(() => provider.withdrawing.length, soon).toBe(1);
    // Meanwhile, other work is done repeatedly.
    for (let count = 0; count < 3; count += 1) {
      const other = await givenPayment(store, { acceptInMs: 50 });
      await expect
        .poll(async () => (await operationTypes(other)).at(-1), soon)
        .toBe('OperationDeclined');
    }
    const calls = (keys: string[]) => keys.filter((key) => key === `${operationId}.1`);
    expect(calls(provider.withdrawing)).toHaveLength(1);
    hang.resolve();
    await expect.poll(typesIn(operationId), soon).toEqual([...withdrawn, 'AttemptWithdrawn']);
    expect(calls(provider.withdrawn)).toHaveLength(1);
  });
});

test('work for an unconfigured provider is retried slowly, and continues once it is configured', async () => {
  const routes = [{ ...paymentRoute, provider: 'gone' }];
  const operationId = await givenPayment(store, {
    routes,
    answers: [acceptance()],
    after: [cancelled],
  });
  const without = run({ longestSilenceMs: 3_600_000 });
  const db = connectDatabase<ProcessorDatabase>(database.url, { applicationName: 'test' });
  const storedRow = async () => {
    const rows = await db.selectFrom('processor.due').selectAll().execute();
    return rows.find(({ stream }) => stream === operationStream(operationId));
  };
  await expect.poll(storedRow, soon).toMatchObject({
    waits_for: 'gone',
    tries: 0,
    last_error: 'withdraw: provider gone is not configured',
  });
  expect(Number((await storedRow())?.due_at)).toBeGreaterThan(Date.now() + 1_800_000);
  await without.stop();
  expect(await operationTypes(operationId)).not.toContain('AttemptWithdrawn');

  provider = createFakeProvider('gone');
  run({ longestSilenceMs: 3_600_000 });
  await expect.poll(() => operationTypes(operationId), soon).toContain('AttemptWithdrawn');
  expect(provider.withdrawn).toEqual([`${operationId}.1`]);
  await expect.poll(storedRow, soon).toBeUndefined();
  await db.destroy();
});

describe('the end of the payable window', () => {
  const accepted = ['OperationAdmitted', 'AttemptStarted', 'AttemptAccepted'];

  test('expires a payment when its provider reports no money (R6.6)', async () => {
    const operationId = await givenPayment(store, { answers: [acceptance(100)] });
    provider.setReport(operationId, { status: 'open' });
    run();
    await expect.poll(typesIn(operationId), soon).toEqual([...accepted, 'OperationExpired']);
    expect(provider.polls).toEqual([`${operationId}.1`]);
  });

  test('waits while the provider cannot be polled (R6.6)', async () => {
    const operationId = await givenPayment(store, { answers: [acceptance(50)] });
    provider.down = true;
    const other = await givenPayment(store, { acceptInMs: 400 });
    run();
    await expect
      .poll(async () => (await operationTypes(other)).at(-1), soon)
      .toBe('OperationDeclined');
    expect(await operationTypes(operationId)).toEqual(accepted);
    provider.setReport(operationId, { status: 'completed', legs: [leg('leg-1', '100.00')] });
    provider.down = false;
    await expect.poll(typesIn(operationId), soon).toEqual([...accepted, 'OperationCompleted']);
  });
});

describe('a callback', () => {
  test('after the terminal status is recorded once as a late fact, and leaves the operation unchanged', async () => {
    const operationId = await givenPayment(store, { answers: [acceptance()], after: [cancelled] });
    const { callback } = run();
    const sent = provider.callback(operationId, {
      status: 'completed',
      legs: [leg('leg-1', '100.00')],
    });
    const answers = await Promise.all([callback(sent), callback(sent), callback(sent)]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await typesOf(lateStream(operationId))).toEqual([
      'LateMoneyReceived',
      'LateStatusReported',
    ]);
    expect(await operationTypes(operationId)).not.toContain('OperationCompleted');
  });

  test('that is not authentic, or of an unknown operation, is refused and changes nothing', async () => {
    const operationId = await givenPayment(store, { answers: [acceptance()] });
    const { callback } = run();
    const good = provider.callback(operationId, { status: 'declined' });
    const unknown = provider.callback('00000000-0000-4000-8000-000000000000', {});
    const notSubmitted = provider.callback(operationId, { attempt: 2 });
    const cases = [
      ['no signature', { ...good, headers: {} }, 'sandbox', 401, 'signature_invalid'],
      ['unreadable', { ...good, body: '{' }, 'sandbox', 400, 'invalid_request'],
      ['unknown operation', unknown, 'sandbox', 404, 'operation_not_found'],
      ['attempt not submitted', notSubmitted, 'sandbox', 404, 'operation_not_found'],
      ['unknown provider', good, 'unknown', 404, 'route_not_found'],
    ] as const;
    for (const [name, sent, to, status, code] of cases) {
      const response = await callback(sent, to);
      const problem = (await response.json()) as { code: string };
      expect([name, response.status, problem.code]).toEqual([name, status, code]);
    }
    expect(await operationTypes(operationId)).toHaveLength(3);
  });

  test('of one provider does not affect the attempts of another (R13.14)', async () => {
    const operationId = await givenPayment(store, { answers: [acceptance()] });
    provider = createFakeProvider('other');
    const { callback } = run();
    const sent = provider.callback(operationId, {
      status: 'completed',
      legs: [leg('leg-1', '100.00')],
    });
    expect((await callback(sent, 'other')).status).toBe(404);
    expect(await operationTypes(operationId)).toHaveLength(3);
  });
});

test('an event that arrives during the work on its operation is not lost', async () => {
  // The clock is stopped until the event has arrived, so that it is in time on any machine.
  vi.useFakeTimers({ toFake: ['Date'] });
  const operationId = await givenPayment(store, { acceptInMs: 150 });
  run();
  await append(store, operationId, {
    events: [
      {
        type: 'AttemptAccepted',
        data: { attempt: 1, provider_reference: 'ref', confirmation_required: false },
      },
    ],
    expectedRevision: 1,
  });
  vi.useRealTimers();
  const later = await givenPayment(store, { acceptInMs: 200 });
  await expect.poll(async () => (await operationTypes(later)).length, soon).toBe(5);
  expect((await operationTypes(operationId)).at(-1)).toBe('AttemptAccepted');
});

test('a processor stops on request at any stage of its start', async () => {
  const given = { store, databaseUrl: database.url, provider };
  for (let afterMs = 0; afterMs < 120; afterMs += 40) {
    const processor = runProcessor(given);
    await delay(afterMs);
    await expect(processor.stop()).resolves.toBeUndefined();
  }
});
