import { inject, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { startWebhookService } from './service.ts';
import { createStack } from './testing/webhook-stack.ts';
import { until } from './testing/until.ts';

it('the service reports a NATS server below the minimum version, and is ready only on a newer one', async () => {
  const stack = await createStack();
  onTestFinished(() => stack.close());
  const service = startWebhookService({
    store: stack.store,
    personal: testPersonalData(stack.store),
    databaseUrl: stack.databaseUrl,
    natsUrl: inject('natsUrl'),
    leastNats: '99.0.0',
    scheduleMs: [0],
    allowPrivate: true,
    logger,
    metrics: createMetrics('webhooks'),
    names: stack.names,
    only: ['ingest'],
  });
  onTestFinished(() => service.stop());
  const reason = () => service.notReady() ?? '';
  await until('it reports the reason', () => reason().includes('NATS 99.0.0 or newer'));
  expect(reason()).toMatch(/^waiting for NATS 99\.0\.0 or newer: the server is \d+\.\d+\.\d+/);

  const newer = await stack.start({ leastNats: '1.0.0', only: ['ingest'] });
  expect(newer.notReady()).toBeUndefined();
});
