import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { commandSandbox } from '#infra/verify/harness/merchant.ts';
import { storeForFile } from '#infra/verify/harness/store.ts';
import { ownLogForFile } from '#infra/verify/harness/own-log.ts';
import { databaseForFile } from '#infra/verify/harness/database.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { startTcpProxy, type Verdict } from '#infra/verify/harness/tcp-proxy.ts';
import { startTestSandbox, type TestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { accountBalance, journalOf, entryKinds } from './testing/books.ts';
import { auditPayout } from './testing/payout-audit.ts';
import { spawnService, type ServiceProcess } from './testing/process.ts';
import { givenShop, payoutBody, type TestShop } from './testing/shop.ts';

// The services as they are deployed, each in its own process. They are killed with -9 at the points
// of a payout that docs/architecture.md names. A proxy in front of the log, or of the provider,
// holds the process at that point.

/** Longer than a machine may stall between the start of a create and the kill. */
const acceptanceMs = 10_000;
const log = ownLogForFile();
const store = storeForFile(() => log.url);
const database = databaseForFile();
let sandbox: TestSandbox;
let env: Record<string, string>;
/** A gateway for repeated requests, which is never killed. */
let gateway: ServiceProcess;
let processor: Promise<ServiceProcess> | undefined;

beforeAll(async () => {
  const processorPort = await findFreePort();
  sandbox = await startTestSandbox({
    callbackUrl: `http://127.0.0.1:${processorPort}/callbacks/sandbox`,
  });
  env = {
    PROCESSOR_PORT: String(processorPort),
    GATEWAY_PORT: String(await findFreePort()),
    EVENT_STORE_URL: log.url,
    DATABASE_URL: database.url,
    PROVIDER_ACCEPTANCE_MS: String(acceptanceMs),
    PAY_BASE_URL: 'http://pay.test',
    RECEIPT_URL_SECRET: 'a-secret-of-the-receipt-links',
    ...sandbox.config,
  };
  gateway = await spawnService('merchant-api', env);
}, 120_000);
afterAll(async () => {
  await Promise.all([gateway.end('SIGTERM'), endProcessor()]);
  await sandbox.stop();
});
/** The running processor, or a new one. */
const processing = () => (processor ??= spawnService('processor', env));
const endProcessor = async () => {
  await (await processor)?.end('SIGTERM');
  processor = undefined;
};

/** Some of the tests are concurrent, so each cleans up with its own context. */
type Finishing = Pick<TestContext, 'onTestFinished'>;

/** A service that a test kills; it is stopped after the test in any case. */
async function spawnDying(
  { onTestFinished }: Finishing,
  ...what: Parameters<typeof spawnService>
): Promise<ServiceProcess> {
  const dying = await spawnService(...what);
  onTestFinished(async () => void (await dying.end('SIGKILL')));
  return dying;
}

type Hold = { text: string; about: string; verdict: Verdict };

/** A proxy to the server of a URL, which applies the verdict when this text passes. */
async function heldAt({ onTestFinished }: Finishing, url: string, { text, about, verdict }: Hold) {
  const reached = Promise.withResolvers<void>();
  const proxy = await startTcpProxy(url, (chunk) => {
    if (!chunk.includes(text) || !chunk.includes(about)) return 'pass';
    reached.resolve();
    return verdict;
  });
  onTestFinished(() => proxy.close());
  return { url: proxy.url, reached: reached.promise };
}

const soon = { timeout: 30_000, interval: 50 };
const create = async (
  { url }: ServiceProcess,
  { apiKey }: TestShop,
  body: object,
  path = '/v1/payout',
) => {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify(body),
  });
  const { request_id: _, ...rest } = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, body: rest };
};
const settle = (operationId: string, body: object) =>
  commandSandbox(sandbox.url, operationId, 'settle', body);
const typesOf = async (operationId: string) =>
  (await store.read(operationStream(operationId))).map(({ type }) => type);

type Point = {
  point: string;
  at: 'log' | 'provider';
  text: string;
  verdict: Verdict;
  /** The newest event of the operation at the time of the kill. */
  last: string;
  /** Its terminal status, which depends on whether its provider had received it by then. */
  end: 'completed' | 'declined';
};
const points: Point[] = [
  {
    point: 'after the admission',
    at: 'log',
    text: 'OperationAdmitted',
    verdict: 'pass_and_hold',
    last: 'ReservationRequested',
    end: 'declined',
  },
  {
    point: 'after the reserve, before it is recorded',
    at: 'log',
    text: 'EntryPosted',
    verdict: 'pass_and_hold',
    last: 'ReservationRequested',
    end: 'declined',
  },
  {
    point: 'after the reserve is recorded, before the call',
    at: 'log',
    text: 'FundsReserved',
    verdict: 'pass_and_hold',
    last: 'FundsReserved',
    end: 'declined',
  },
  {
    point: 'during the call',
    at: 'provider',
    text: 'PUT /v1/attempts',
    verdict: 'pass_and_hold',
    last: 'FundsReserved',
    end: 'completed',
  },
  {
    point: 'after the provider accepted, before that is recorded',
    at: 'log',
    text: 'AttemptAccepted',
    verdict: 'hold',
    last: 'FundsReserved',
    end: 'completed',
  },
];

/** An operation that is about to be created. */
async function given(route: object) {
  const shop = await givenShop(store, [route]);
  const { number, ...rest } = payoutBody();
  const body = { ...rest, ...('type' in route ? {} : { number }) };
  return { shop, body, operationId: shop.operationIdOf(body.merchant_operation_id) };
}

const patiently = { timeout: 150_000 };

describe.concurrent('merchant-api killed', patiently, () => {
  test.for(points)('$point', async ({ point, at, last, end, ...hold }, context) => {
    const { shop, body, operationId } = await given({ options: { accept_delay_ms: 200 } });
    const [variable, url] =
      at === 'log' ? ['EVENT_STORE_URL', env['EVENT_STORE_URL']] : ['SANDBOX_URL', sandbox.url];
    const held = await heldAt(context, url ?? '', { ...hold, about: operationId });
    const port = { GATEWAY_PORT: String(await findFreePort()) };
    const dying = await spawnDying(context, 'merchant-api', {
      ...env,
      ...port,
      [variable ?? '']: held.url,
    });
    await processing();

    const answer = create(dying, shop, body).catch(() => 'none');
    await held.reached;
    await context.expect.poll(async () => (await typesOf(operationId)).at(-1), soon).toBe(last);
    const reserved = hold.text === 'OperationAdmitted' ? [] : ['reserve'];
    await context.expect.poll(entryKinds(store, shop.shopId), soon).toEqual(reserved);
    await dying.end('SIGKILL');
    expect(await answer).toBe('none');

    const first = await create(gateway, shop, body);
    const settled = await settle(operationId, { result: 'completed' });
    expect(settled.status).toBe(end === 'completed' ? 200 : 404);
    const ended = end === 'completed' ? 'OperationCompleted' : 'OperationDeclined';
    await context.expect.poll(async () => (await typesOf(operationId)).at(-1), soon).toBe(ended);
    const audited = { shopId: shop.shopId, operationId, sandboxUrl: sandbox.url };
    await context.expect
      .poll(() => auditPayout(store, audited), soon)
      .toMatchObject({ status: end });
    const [second, third] = [await create(gateway, shop, body), await create(gateway, shop, body)];
    expect(third).toEqual(second);
    expect(second).toMatchObject({ status: first.status, body: { operation_id: operationId } });
    // oxlint-disable-next-line no-console -- prints the figures of the run
    console.info(`${point}: ${JSON.stringify(await auditPayout(store, audited))}`);
  });
});

const afterTheEnd = [
  { point: 'after the end, before its entry', verdict: 'hold' },
  { point: 'after the entry, before it knows', verdict: 'pass_and_hold' },
] as const;

/** Kills a processor while it posts the entry of a terminal status; another one continues. */
async function killedOverEntry(
  context: Finishing,
  { shop, body, operationId }: Awaited<ReturnType<typeof given>>,
  { verdict, result, path }: { verdict: Verdict; result: object; path: string },
): Promise<string[]> {
  await endProcessor();
  const hold = { text: 'EntryPosted', about: operationId, verdict };
  const held = await heldAt(context, env['EVENT_STORE_URL'] ?? '', hold);
  const dying = await spawnDying(context, 'processor', { ...env, EVENT_STORE_URL: held.url });
  expect(await create(gateway, shop, body, path)).toMatchObject({ status: 200 });
  const before = await journalOf(store, shop.shopId);
  expect((await settle(operationId, result)).status).toBe(200);
  await held.reached;
  // If the write was let through, the test waits for it; otherwise it never arrives.
  const expected = before.length + (verdict === 'hold' ? 0 : 1);
  await expect.poll(entryKinds(store, shop.shopId), soon).toHaveLength(expected);
  await dying.end('SIGKILL');
  const types = await typesOf(operationId);
  await processing();
  return types;
}

test.for(afterTheEnd)(
  'processor killed $point, of a payout',
  patiently,
  async ({ point, verdict }, context) => {
    const payout = await given({});
    const { shop, body, operationId } = payout;
    const result = { result: 'partial', legs: [{ amount: '60.00' }] };
    const types = await killedOverEntry(context, payout, { verdict, result, path: '/v1/payout' });
    expect(types.at(-1)).toBe('OperationPartiallyCompleted');
    const audited = { shopId: shop.shopId, operationId, sandboxUrl: sandbox.url };
    await expect
      .poll(() => auditPayout(store, audited), soon)
      .toMatchObject({ captures: 1, releases: 0 });
    expect(await create(gateway, shop, body)).toMatchObject({
      body: { status: 'partially_completed', settlement_amount: '60.60' },
    });
    expect(await entryKinds(store, shop.shopId)()).toEqual(['reserve', 'capture']);
    // oxlint-disable-next-line no-console -- prints the figures of the run
    console.info(`${point}: ${JSON.stringify(await auditPayout(store, audited))}`);
  },
);

test.for(afterTheEnd)(
  'processor killed $point, of a payment',
  patiently,
  async ({ verdict }, context) => {
    const payment = await given({ type: 'payment' });
    const { shopId } = payment.shop;
    const result = { result: 'completed' };
    const types = await killedOverEntry(context, payment, { verdict, result, path: '/v1/payment' });
    expect(types.at(-1)).toBe('OperationCompleted');
    await expect.poll(entryKinds(store, shopId), soon).toEqual(['credit']);
    // The next operation of the same shop is posted after it, and the entry is not posted again.
    const { number: _, ...next } = payoutBody();
    await create(gateway, payment.shop, next, '/v1/payment');
    await settle(payment.shop.operationIdOf(next.merchant_operation_id), result);
    await expect.poll(entryKinds(store, shopId), soon).toEqual(['credit', 'credit']);
    expect(accountBalance(await journalOf(store, shopId), 'balance')).toBe('198.00');
  },
);
