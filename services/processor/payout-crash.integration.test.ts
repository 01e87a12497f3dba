import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { commandSandbox } from '#infra/verify/harness/shops/merchant.ts';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { createMerchantApi } from '#services/merchant-api/app.ts';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import { createDyingProcess, type Moment, type DyingProcess } from './testing/dying-process.ts';
import { auditPayout, type PayoutSummary } from './testing/payout-audit.ts';
import { runProcessor, type TestProcessor } from './testing/processor.ts';
import { givenShop, payoutBody, type TestShop } from './testing/shop.ts';

// The process of a create dies before its first call to the log, the ledger or the provider, or
// during any call: between two calls it only reads. Then a processor and the provider bring the
// payout to a terminal status, and the same request is repeated.

/** The acceptance wait of every create: processes die before its end, which then has passed. */
const acceptanceMs = 60_000;

const log = ownLogForFile();
const store = storeForFile(() => log.url);
const database = databaseForFile();
const sandbox = sandboxForFile();
const providers = forFile(() => createProviders(sandbox.config, logger));
const directory = forFile(() => createDirectory(store));
let processor: TestProcessor | undefined;
let alive: DyingProcess;

beforeAll(() => {
  alive = createDyingProcess({ store, providers: providers.providers });
});
afterEach(async () => {
  await processor?.stop();
  processor = undefined;
});

/** The merchant API of one simulated process. */
const apiOn = (process: DyingProcess) =>
  createMerchantApi({
    store: process.store,
    providers: process.providers,
    ledgers: createLedgers({ store: process.store }),
    directory,
    logger,
    metrics: createMetrics('test'),
    acceptanceMs,
    payBaseUrl: 'http://pay.test',
    receipts: {
      put: async () => undefined,
      get: async () => undefined,
      remove: async () => undefined,
    },
    personal: testPersonalData(process.store),
    links: createReceiptLinks({ baseUrl: 'http://gateway.test', secret: 'a-secret-of-the-links' }),
    allowPrivate: true,
    notReady: async () => undefined,
  });

const send = async (on: ReturnType<typeof apiOn>, { apiKey }: TestShop, body: object) => {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const answer = await on.request('/v1/payout', {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const { request_id: _, instance: __, ...rest } = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, replayed: answer.headers.get('idempotent-replayed'), body: rest };
};

/** Repeats the request after each 503, as a client does. */
const sendAgain = async (...[on, shop, body]: Parameters<typeof send>) => {
  let answer: Awaited<ReturnType<typeof send>> | undefined;
  await eventually(
    'it is decided',
    async () => {
      answer = await send(on, shop, body);
      return answer.status !== 503;
    },
    { intervalMs: 100 },
  );
  return answer!;
};

/**
 * Creates payouts in processes that die or stop, with a clock that is slow by the acceptance wait:
 * even on a slow machine they reach their step in time, and then the wait is over by real time.
 */
const byLateClock = async <T>(make: () => Promise<T>): Promise<T> => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - acceptanceMs, shouldAdvanceTime: true });
  try {
    return await make();
  } finally {
    vi.useRealTimers();
  }
};

/** Starts once the processes are dead, so that its own clock is never slow. */
const startProcessor = () => {
  const connector = providers.providers.get('sandbox');
  if (!connector) throw new Error('no sandbox connector');
  // No callback is received, so the provider has to be polled.
  const timings = { silenceMs: 200, longestSilenceMs: 200 };
  processor = runProcessor({ store, databaseUrl: database.url, provider: { connector }, timings });
};

type Case = { at: number; moment: Moment; end: 'completed' | 'partial' | 'declined' };

/** Creates a payout in a process that dies at the given call. */
async function crashed(routes: readonly object[], { at, moment }: Pick<Case, 'at' | 'moment'>) {
  const shop = await givenShop(store, routes);
  const body = payoutBody();
  const dying = createDyingProcess({ store, providers: providers.providers }, { at, moment });
  const answer = await Promise.race([send(apiOn(dying), shop, body), dying.died]);
  expect(answer).toBeUndefined();
  return { shop, body, operationId: shop.operationIdOf(body.merchant_operation_id) };
}

/**
 * Creates a payout in a process that is stopped at the given call, and continues when it is woken.
 */
async function stopped(routes: readonly object[], { at, moment }: Pick<Case, 'at' | 'moment'>) {
  const shop = await givenShop(store, routes);
  const body = payoutBody();
  const { promise: wakes, resolve: wake } = Promise.withResolvers<void>();
  const sleeping = createDyingProcess(
    { store, providers: providers.providers },
    { at, moment, wakes },
  );
  const answer = send(apiOn(sleeping), shop, body);
  await sleeping.died;
  return { shop, body, answer, wake, operationId: shop.operationIdOf(body.merchant_operation_id) };
}

/** Settles the payout at its provider once it is accepted, and waits for its terminal status. */
async function ended(operationId: string, end: Case['end']): Promise<void> {
  const body = { result: end, ...(end === 'partial' && { legs: [{ amount: '60.00' }] }) };
  const settled = { done: false };
  await expect
    .poll(
      async () => {
        const operation = await readOperation(store, operationId);
        if (!operation) return 'absent';
        if (operation.status === 'pending' && operation.accepted && !settled.done) {
          const answer = await commandSandbox(sandbox.url, operationId, 'settle', body);
          settled.done = answer.status === 200;
        }
        return isTerminal(operation.status);
      },
      { interval: 50 },
    )
    .toBe(true);
}

const usd = { conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } };
const scenarios: { what: string; routes: object[]; calls: string[] }[] = [
  {
    what: 'on one route',
    routes: [{ options: { accept_delay_ms: 50 } }],
    calls: [
      'append PersonalKeyCreated',
      'append OperationAdmitted AttemptStarted ReservationRequested',
      'post reserve',
      'append FundsReserved',
      'submit',
      'append AttemptAccepted',
    ],
  },
  {
    what: 'on a second route with other terms, after the first has refused',
    routes: [{ options: { accept: 'decline' } }, { priority: 2, commission: { percent: '5' } }],
    calls: [
      'append PersonalKeyCreated',
      'append OperationAdmitted AttemptStarted ReservationRequested',
      'post reserve',
      'append FundsReserved',
      'submit',
      'append AttemptRefused AttemptStarted ReservationRequested',
      'post release',
      'post reserve',
      'append FundsReserved',
      'submit',
      'append AttemptAccepted',
    ],
  },
  {
    what: 'on a route that converts',
    routes: [{ ...usd, options: { fx_rate: '0.012500' } }],
    calls: [
      'append PersonalKeyCreated',
      'append OperationAdmitted AttemptStarted',
      'quote',
      'append ReservationRequested',
      'post reserve',
      'append FundsReserved',
      'submit',
      'append AttemptAccepted',
    ],
  },
];

const totals: (PayoutSummary & { cases: number })[] = [];
afterAll(() => {
  const sum = (what: keyof PayoutSummary | 'cases') =>
    totals.reduce((total, each) => total + (Number(each[what]) || 0), 0);
  const ends = Object.entries(Object.groupBy(totals, ({ status }) => status));
  // oxlint-disable-next-line no-console -- prints the figures of the run
  console.info(
    `${totals.length} payouts crashed: ${ends.map(([status, each]) => `${each?.length} ${status}`).join(', ')};`,
    `${sum('reserves')} reserves, ${sum('captures')} captures, ${sum('releases')} releases,`,
    `${sum('submissions')} submissions`,
  );
});

describe.each(scenarios)('a payout $what', ({ routes, calls }) => {
  test('takes these steps without a crash', async () => {
    const shop = await givenShop(store, routes);
    const whole = createDyingProcess({ store, providers: providers.providers });
    expect(await send(apiOn(whole), shop, payoutBody())).toMatchObject({
      body: { status: 'pending' },
    });
    expect(whole.calls).toEqual(calls);
  });

  test('has one terminal status and closes its reservation once, wherever its process dies (R7.8)', async () => {
    const ends = ['completed', 'partial', 'declined'] as const;
    const during = calls.map((_, at) => ({ at, moment: 'during' as const }));
    const cases = [{ at: 0, moment: 'before' as const }, ...during];
    const payouts = await byLateClock(async () => {
      const made = [];
      for (const [index, { at, moment }] of cases.entries()) {
        const end = ends[index % ends.length] ?? 'completed';
        made.push({ ...(await crashed(routes, { at, moment })), at, moment, end });
      }
      return made;
    });
    startProcessor();
    const api = apiOn(alive);
    await Promise.all(
      payouts.map(async ({ shop, body, operationId, at, moment, end }) => {
        const step = `${moment} ${calls[at]}`;
        const first = await sendAgain(api, shop, body);
        await ended(operationId, end);
        const second = await sendAgain(api, shop, body);
        const third = await sendAgain(api, shop, body);
        // If the first response was a rejection, a repeat gets the same one; if it was `pending`,
        // the repeat returns the terminal status.
        const expectedBody = first.status === 422 ? first.body : { operation_id: operationId };
        const expected = { step, status: first.status, replayed: 'true', body: expectedBody };
        expect({ step, ...second }).toMatchObject(expected);
        expect({ step, ...third }).toEqual({ step, ...second });
        const payout = { shopId: shop.shopId, operationId, sandboxUrl: sandbox.url };
        await expect
          .poll(() =>
            auditPayout(store, payout).then((summary) => totals.push({ ...summary, cases: 1 })),
          )
          .toBeGreaterThan(0);
      }),
    );
  });

  test('changes nothing more if its process is suspended at any step and resumed after its terminal status', async () => {
    const cases = calls.flatMap((_, at) =>
      (['before', 'after'] as const).map((moment) => ({ at, moment })),
    );
    const payouts = await byLateClock(async () => {
      const made = [];
      for (const each of cases) made.push({ ...each, ...(await stopped(routes, each)) });
      return made;
    });
    startProcessor();
    const api = apiOn(alive);
    await Promise.all(
      payouts.map(async ({ shop, body, operationId, answer, wake, at, moment }) => {
        const step = `${moment} ${calls[at]}`;
        await send(api, shop, body);
        await ended(operationId, 'partial');
        const payout = { shopId: shop.shopId, operationId, sandboxUrl: sandbox.url };
        await expect.poll(() => auditPayout(store, payout)).toHaveProperty('status');
        const summary = await auditPayout(store, payout);
        wake();
        const late = await answer;
        const now = await sendAgain(api, shop, body);
        // If the outcome is unknown, the response is `not_ready`, and a repeat returns the outcome.
        const undecided = { step, code: 'not_ready' };
        const responded = { step, id: late.body['operation_id'], code: late.body['code'] };
        expect([undecided, { step, id: operationId, code: now.body['code'] }]).toContainEqual(
          late.status === 503 ? { step, code: responded.code } : responded,
        );
        expect({ step, ...(await auditPayout(store, payout)) }).toEqual({ step, ...summary });
      }),
    );
  });
});
