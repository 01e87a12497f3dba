import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { spawnService, type ServiceProcess } from '#services/processor/testing/process.ts';
import { givenShop, type TestShop } from '#services/processor/testing/shop.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { newId } from '#shared/platform/ids.ts';
import { payment } from './testing/client.ts';

const folder = folderForFile();
const log = ownLogForFile();
const sandbox = sandboxForFile();
let [api, shop]: [ServiceProcess, TestShop] = [] as never;
beforeAll(async () => {
  const store = connectEventStore(log.url);
  // Longer than other services take to stop.
  const slow = { type: 'payment', options: { accept_delay_ms: 6_000 } };
  shop = await givenShop(store, [slow]);
  await store.close();
  api = await spawnService('merchant-api', {
    GATEWAY_PORT: String(await findFreePort()),
    EVENT_STORE_URL: log.url,
    DATA_DIR: folder,
    PAY_BASE_URL: 'http://pay.test',
    RECEIPT_URL_SECRET: 'a-secret-of-the-links',
    ...sandbox.config,
  });
});
afterAll(() => api.end('SIGKILL'));

it('a stopping process completes an open create, and accepts no new connection', async () => {
  const merchant_operation_id = newId();
  const creating = fetch(`${api.url}/v1/payment`, {
    method: 'POST',
    headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(payment({ merchant_operation_id })),
  });
  const atProvider = `${sandbox.url}/control/operations/${shop.operationIdOf(merchant_operation_id)}`;
  await expect.poll(async () => (await fetch(atProvider)).status).toBe(200);
  const ended = api.end('SIGTERM');
  await expect.poll(() => fetch(`${api.url}/livez`).catch(() => 'refused')).toBe('refused');
  const answer = await creating;
  expect(answer.status).toBe(200);
  expect(answer.headers.get('connection')).toBe('close');
  expect(await answer.json()).toMatchObject({ type: 'payment', status: 'pending' });
  expect(await ended).toBe(0);
});
