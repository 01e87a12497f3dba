import { beforeAll, expect, it } from 'vitest';
import { webhookStackForFile } from './testing/webhook-stack.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { spellingGroups, zone } from './testing/guard-spellings.ts';
import { createResolve } from './dispatch/guard/resolve.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { startCanary } from './testing/canary.ts';
import { createShop } from './testing/history.ts';
import { startNameServer } from './testing/name-server.ts';
import { until } from './testing/until.ts';

const stack = webhookStackForFile();
const canary = forFile(startCanary);
const names = forFile(() => startNameServer(zone));
beforeAll(async () => {
  await stack.start({
    allowPrivate: false,
    resolve: createResolve([names.address]),
    scheduleMs: [0, 20],
    only: ['dispatch'],
  });
});

/** One spelling of each group, with the canary's port. */
const hosts = spellingGroups.flatMap(({ spellings }) => {
  const host = /^https:\/\/([^/@:\\\s]+|\[[^/]*\])\/$/.exec(spellings[0]?.url ?? '')?.[1];
  return host === undefined ? [] : [host];
});

it('the service connects to no internal address, whatever URL is in the log, and reports it', async () => {
  expect(hosts.length).toBeGreaterThanOrEqual(20);
  const urls = [...hosts, 'merchant.example', 'mixed6.example', 'alias-of-mixed.example'].map(
    (host) => `https://${host}:${canary.port}/`,
  );
  // Recorded without the admin API, as if by an older version with fewer checks.
  const shops = await Promise.all(urls.map((url) => createShop(stack.store, { url })));
  await Promise.all(shops.map(({ shopId }) => ping(stack.db, { shopId })));
  for (const { shopId } of shops) {
    const exhausted = async () => (await stack.messages(shopId))[0]?.status === 'exhausted';
    await until('it was tried twice', exhausted);
    const [message] = await stack.messages(shopId);
    expect(message?.attempts.map(({ status }) => status)).toEqual([null, null]);
    for (const { error } of message?.attempts ?? [])
      expect(error).toMatch(/^destination refused: /);
  }
  expect(canary.connections()).toBe(0);
});
