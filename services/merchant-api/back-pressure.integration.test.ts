import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { eventually, waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { startTcpProxy, type ProxyVerdict } from '#infra/verify/harness/stores/tcp-proxy.ts';
import {
  startStoreProcess,
  type StoreProcess,
} from '#infra/verify/harness/stores/event-store-process.ts';
import { spawnService, type ServiceProcess } from '#services/processor/testing/process.ts';
import { givenShop, type TestShop } from '#services/processor/testing/shop.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { newId } from '#shared/platform/ids.ts';
import { canMakeDisks, startStoreOnDisk } from '#infra/verify/harness/stores/store-on-tmpfs.ts';
import { payment } from './testing/client.ts';

/**
 * Each step times out after 5 s (deadlines.ts). Without that, a create would take the acceptance
 * wait, which is far longer than any request of these tests.
 */
const acceptanceMs = 3_600_000;

const folder = folderForFile();
const sandbox = sandboxForFile();
/** All processes that were started, also by tests that failed. */
const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

type Answer = { status: number; code?: string; retryAfter: string | null };

/** A merchant API in its own process on that store, as it is deployed, and a shop. */
async function startApi(eventStoreUrl: string, setUpUrl = eventStoreUrl) {
  const store = connectEventStore(setUpUrl);
  const shop: TestShop = await givenShop(store, [{ type: 'payment' }]);
  await store.close();
  const api: ServiceProcess = await spawnService('merchant-api', {
    GATEWAY_PORT: String(await findFreePort()),
    EVENT_STORE_URL: eventStoreUrl,
    DATA_DIR: folder,
    PAY_BASE_URL: 'http://pay.test',
    RECEIPT_URL_SECRET: 'a-secret-of-the-links',
    PROVIDER_ACCEPTANCE_MS: String(acceptanceMs),
    ...sandbox.config,
  });
  stops.push(() => api.end('SIGKILL'));
  const request = async (path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${api.url}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(waitLimitMs),
    });
    const text = await answer.text();
    const { code } = (text === '' ? {} : JSON.parse(text)) as { code?: string };
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, ...(code !== undefined && { code }), retryAfter };
  };
  return {
    create: (id: string = newId()) =>
      request('/v1/payment', payment({ merchant_operation_id: id })),
    state: (id: string) => request('/v1/get_operation_state', { merchant_operation_id: id }),
    balances: () => request('/v1/balances'),
    cancel: (id: string) => request('/v1/cancel_operation', { merchant_operation_id: id }),
    ready: async () => (await request('/readyz')).status,
  };
}

/** Rejected as temporary, with the time after which to retry. */
const retryable = {
  status: 503,
  code: expect.stringMatching(/^(not_ready|cancel_undecided|accounting_unavailable)$/) as string,
  retryAfter: expect.stringMatching(/^[123]$/) as string,
};

async function startNode(name: string, port?: number): Promise<StoreProcess> {
  const node = await startStoreProcess({ directory: `${folder}/${name}`, ...(port && { port }) });
  stops.push(() => node.stop('SIGKILL'));
  return node;
}

/**
 * An API whose connection to its store stalls as soon as the API has sent `trap`, and whenever the
 * test stalls it.
 */
async function behindProxy(name: string, trap?: string) {
  const node = await startNode(name);
  let armed = trap;
  const watch = (chunk: Buffer): ProxyVerdict => {
    if (armed === undefined || !chunk.includes(armed)) return 'pass';
    armed = undefined;
    return 'pass_and_hold';
  };
  const proxy = await startTcpProxy(node.url, watch);
  stops.push(proxy.close);
  const gateway = await startApi(proxy.url, node.url);
  return { node, proxy, gateway };
}

async function expectRecovered({
  create,
  ready,
}: Awaited<ReturnType<typeof startApi>>): Promise<void> {
  await eventually('a create is accepted', async () => (await create()).status === 200);
  expect(await ready()).toBe(204);
}

// Concurrent, because they mostly wait for responses that don't come.
describe.concurrent('the merchant API on an event store', () => {
  it('answers every request in time while the store hangs, then recovers (R2.9)', async () => {
    const { proxy, gateway } = await behindProxy('hangs');
    const { create, state, balances, cancel, ready } = gateway;
    expect((await create('before')).status).toBe(200);
    proxy.stall();
    const [probe, ...answers] = await Promise.all([
      ready(),
      ...Array.from({ length: 60 }, () => create()),
      ...Array.from({ length: 20 }, () => state('before')),
      balances(),
      cancel('before'),
    ]);
    for (const answer of answers) expect(answer).toMatchObject(retryable);
    expect(probe).toBe(503);
    proxy.resume();
    await expectRecovered(gateway);
    expect((await state('before')).status).toBe(200);
  });

  it('returns 503 while the store is down, then recovers without data loss', async () => {
    const { node, gateway } = await behindProxy('gone');
    const { create, state, balances, cancel, ready } = gateway;
    expect((await create('before')).status).toBe(200);
    await node.stop('SIGKILL');
    const [probe, ...answers] = await Promise.all([
      ready(),
      create(),
      state('before'),
      cancel('before'),
      balances(),
    ]);
    for (const answer of answers) expect(answer).toMatchObject(retryable);
    expect(probe).toBe(503);
    await startNode('gone', node.port);
    await expectRecovered(gateway);
    expect((await state('before')).status).toBe(200);
  });

  it.each([
    ['it admits the operation', 'OperationAdmitted'],
    ['it records the provider’s answer', 'AttemptAccepted'],
  ])('answers a create in time if the store hangs while %s', async (_, type) => {
    const { proxy, gateway } = await behindProxy(type, type);
    const answer = await gateway.create();
    expect(answer).toMatchObject(retryable);
    proxy.resume();
    await expectRecovered(gateway);
  });

  it.skipIf(!canMakeDisks(tmpdir()))(
    'serves reads while the store’s disk is full, and accepts creates once there is space',
    async () => {
      const store = await startStoreOnDisk(`${folder}/disk`, 8);
      stops.push(store.stop);
      const gateway = await startApi(store.url);
      expect((await gateway.create('kept')).status).toBe(200);
      store.fill();
      // A few appends may still fit into the space that the log has already.
      let answer = await gateway.create();
      for (let count = 0; count < 1_000 && answer.status === 200; count += 1)
        answer = await gateway.create();
      expect(answer).toMatchObject(retryable);
      expect(await gateway.ready()).toBe(503);
      expect((await gateway.state('kept')).status).toBe(200);
      expect(store.isRunning()).toBe(true);
      expect(store.complaints()).toContain('database or disk is full');
      store.makeRoom();
      await expectRecovered(gateway);
      expect((await gateway.state('kept')).status).toBe(200);
    },
  );
});
