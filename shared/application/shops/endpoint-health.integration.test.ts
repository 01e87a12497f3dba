import { expect, it } from 'vitest';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { changeShop, configured, createShop } from '#services/webhooks/testing/history.ts';
import { disableEndpoint } from './endpoint-health.ts';

const store = storeForFile();
const directory = forFile(() => createDirectory(store));

it('a 410 of an earlier URL does not disable the endpoint (R14.11)', async () => {
  const [url, changed] = ['https://before.example/', 'https://now.example/'];
  const { shopId } = await createShop(store, { url });
  await changeShop(store, shopId, configured(changed, newWebhookSecret()));
  const gone = { shopId, endpointId: shopId, messageId: 'm' };
  const isEnabled = async () => {
    await directory.ready();
    return (await directory.byId(shopId))?.endpoints.map(({ enabled }) => enabled);
  };
  expect(await disableEndpoint(store, { ...gone, url })).toBe('done');
  expect(await isEnabled()).toEqual([true]);
  expect(await disableEndpoint(store, { ...gone, url: changed })).toBe('done');
  expect(await isEnabled()).toEqual([false]);
});
