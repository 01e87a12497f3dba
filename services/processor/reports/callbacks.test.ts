import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { createProcessorApp } from '../app.ts';
import { createFakeProvider } from '../testing/fake-provider.ts';

const away = {
  recent: () => undefined,
  read: () => Promise.reject(new Error('the store is away')),
} as unknown as EventStore;
const provider = createFakeProvider();
const app = createProcessorApp({
  store: away,
  personal: testPersonalData(away),
  providers: new Map([['sandbox', provider.connector]]),
  logger: pino({ level: 'silent' }),
  metrics: createMetrics('processor'),
  now: () => 0,
});
const send = (sent: { headers?: Record<string, string>; body: string }) =>
  app.request('/callbacks/sandbox', { method: 'POST', ...sent });

test('a callback that can not be kept is to be sent again', async () => {
  const answer = await send(provider.callback('00000000-0000-4000-8000-000000000000', {}));
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await answer.json()).toMatchObject({ code: 'not_ready', retryable: true });
});

test('a callback has a bound on its size', async () => {
  expect((await send({ body: 'x'.repeat(300_000) })).status).toBe(413);
});

test('there are metrics of HTTP for whoever watches', async () => {
  const answer = await app.request('/metrics');
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toContain('gateway_http_request_duration_seconds');
});
