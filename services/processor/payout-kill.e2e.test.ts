import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { commandSandbox } from '#infra/verify/harness/shops/merchant.ts';
import { startTcpProxy, type ProxyVerdict } from '#infra/verify/harness/stores/tcp-proxy.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { accountBalance, journalOf, entryKinds } from './testing/journal.ts';
import { environmentForFile } from './testing/environment.ts';
import { auditPayout } from './testing/payout-audit.ts';
import { spawnService, type ServiceProcess } from './testing/process.ts';
import { givenShop, payoutBody, type TestShop } from './testing/shop.ts';

// The processor as it is deployed, in a process that is killed with -9 while it posts the entry of
// an operation's end: a proxy in front of the log holds it there.

const { store, sandbox, env } = environmentForFile();
/** A gateway for repeated requests, which is never killed. */
let gateway: ServiceProcess;
let processor: Promise<ServiceProcess> | undefined;

beforeAll(async () => {
  gateway = await spawnService('merchant-api', env);
});
afterAll(async () => {
  await Promise.all([gateway.end('SIGTERM'), endProcessor()]);
});
/** The running processor, or a new one. */
const processing = () => (processor ??= spawnService('processor', env));
const endProcessor = async () => {
  await (await processor)?.end('SIGTERM');
  processor = undefined;
};

/** A service that a test kills; it is stopped after the test in any case. */
async function spawnDying(...what: Parameters<typeof spawnService>): Promise<ServiceProcess> {
  const dying = await spawnService(...what);
  onTestFinished(async () => void (await dying.end('SIGKILL')));
  return dying;
}

type Hold = { text: string; about: string; verdict: ProxyVerdict };

/** A proxy to the server of a URL, which applies the verdict when this text passes. */
async function heldAt(url: string, { text, about, verdict }: Hold) {
  const reached = Promise.withResolvers<void>();
  const proxy = await startTcpProxy(url, (chunk) => {
    if (!chunk.includes(text) || !chunk.includes(about)) return 'pass';
    reached.resolve();
    return verdict;
  });
  onTestFinished(() => proxy.close());
  return { url: proxy.url, reached: reached.promise };
}

const soon = { interval: 50 };
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

/** An operation that is about to be created. */
async function given(route: object) {
  const shop = await givenShop(store, [route]);
  const { number, ...rest } = payoutBody();
  const body = { ...rest, ...('type' in route ? {} : { number }) };
  return { shop, body, operationId: shop.operationIdOf(body.merchant_operation_id) };
}

const afterTheEnd = [
  { point: 'after the end, before its entry', verdict: 'hold' },
  { point: 'after the entry, before it knows', verdict: 'pass_and_hold' },
] as const;

/** Kills a processor while it posts the entry of a terminal status; another one continues. */
async function killedOverEntry(
  { shop, body, operationId }: Awaited<ReturnType<typeof given>>,
  { verdict, result, path }: { verdict: ProxyVerdict; result: object; path: string },
): Promise<string[]> {
  await endProcessor();
  const hold = { text: 'EntryPosted', about: operationId, verdict };
  const held = await heldAt(env['EVENT_STORE_URL'] ?? '', hold);
  const dying = await spawnDying('processor', { ...env, EVENT_STORE_URL: held.url });
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

test.for(afterTheEnd)('processor killed $point, of a payout', async ({ point, verdict }) => {
  const payout = await given({});
  const { shop, body, operationId } = payout;
  const result = { result: 'partial', legs: [{ amount: '60.00' }] };
  const types = await killedOverEntry(payout, { verdict, result, path: '/v1/payout' });
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
});

test.for(afterTheEnd)('processor killed $point, of a payment', async ({ verdict }) => {
  const payment = await given({ type: 'payment' });
  const { shopId } = payment.shop;
  const result = { result: 'completed' };
  const types = await killedOverEntry(payment, { verdict, result, path: '/v1/payment' });
  expect(types.at(-1)).toBe('OperationCompleted');
  await expect.poll(entryKinds(store, shopId), soon).toEqual(['credit']);
  // The next operation of the same shop is posted after it, and the entry is not posted again.
  const { number: _, ...next } = payoutBody();
  await create(gateway, payment.shop, next, '/v1/payment');
  await settle(payment.shop.operationIdOf(next.merchant_operation_id), result);
  await expect.poll(entryKinds(store, shopId), soon).toEqual(['credit', 'credit']);
  expect(accountBalance(await journalOf(store, shopId), 'balance')).toBe('198.00');
});
