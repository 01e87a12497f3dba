import { expect, it, onTestFinished } from 'vitest';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import { testKeyPair } from '#shared/platform/event-store/testing/log-keys.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createHost, type Host } from './host.ts';

const log = ownLogForFile();
const shopId = 'shop-1';

/** What a service of this host gets: its store and its ledgers. */
function startService(host: Host, name: string) {
  const metrics = createMetrics(name);
  const signer = loadSigningKey(name, { LOG_SIGNING_KEYS: testKeyPair(name) });
  const store = host.eventStore(log.url, { metrics, logger, signer });
  const ledgers = host.ledgers({ store, metrics, signer });
  const about = { shopId, currency: 'RUB', dueSince: 0n };
  const actor = name === 'admin' ? 'operator:anna' : `service:${name}`;
  const origin = { actor, correlationId: 'test' };
  return {
    name,
    store,
    metrics,
    keyId: signer.id,
    credit: (operationId: string) =>
      ledgers.post({
        ...about,
        origin,
        kind: 'credit',
        operationId,
        recorded: '1.00',
        commission: '0.00',
      }),
    adjust: (adjustmentId: string) =>
      ledgers.post({
        ...about,
        origin,
        kind: 'adjustment',
        adjustmentId,
        amount: '1.00',
        reason: '',
      }),
  };
}

function startHost() {
  const host = createHost();
  onTestFinished(() => host.close());
  return host;
}

it('signs each entry with the key of the service that requests it (R18.17)', async () => {
  const [shared, other] = [startHost(), startHost()];
  const [processor, admin] = ['processor', 'admin'].map((name) => startService(shared, name));
  const elsewhere = startService(other, 'admin');
  if (!processor || !admin) throw new Error('two services share a process');
  // One batch of a ledger that belongs to the first service of the process, then another owner's.
  const results = await Promise.all([
    processor.credit('p-1'),
    admin.adjust('a-1'),
    processor.credit('p-2'),
  ]);
  expect(results.map(({ outcome }) => outcome)).toEqual(['posted', 'posted', 'posted']);
  const batches = await processor.metrics.getSingleMetricAsString('gateway_ledger_batch_entries');
  expect(batches).toMatch(/_count\{[^}]*\} 1$/m);
  await elsewhere.adjust('a-2');
  await processor.credit('p-3');
  expect((await elsewhere.adjust('a-1')).outcome).toBe('posted');

  const entries = await admin.store.read(ledgerStream(shopId, 'RUB'));
  const signed = entries.map(({ metadata }) => [metadata.actor, metadata.signature?.slice(0, 8)]);
  const [byProcessor, byAdmin] = [
    ['service:processor', processor.keyId],
    ['operator:anna', admin.keyId],
  ];
  expect(signed).toEqual([byProcessor, byAdmin, byProcessor, byAdmin, byProcessor]);
});
