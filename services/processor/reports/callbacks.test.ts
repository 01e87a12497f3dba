import { expect, test } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { createProcessorApp } from '../app.ts';
import { createFakeProvider } from '../testing/fake-provider.ts';

const unavailableStore = {
  recent: () => undefined,
  read: () => Promise.reject(new Error('the store is unavailable')),
} as unknown as EventStore;
const provider = createFakeProvider();
const ports = () => ({
  store: unavailableStore,
  personal: testPersonalData(unavailableStore),
  providers: new Map([['sandbox', provider.connector]]),
  logger,
  metrics: createMetrics('processor'),
  now: () => 0,
});
const app = createProcessorApp(ports());
const send = (sent: { headers?: Record<string, string>; body: string }) =>
  app.request('/callbacks/sandbox', { method: 'POST', ...sent });

test('a callback that cannot be stored gets a 503, so that it is sent again (R13.5)', async () => {
  const answer = await send(provider.callback('00000000-0000-4000-8000-000000000000', {}));
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^[123]$/);
  expect(await answer.json()).toMatchObject({ code: 'not_ready', retryable: true });
});

test('a callback is limited in size', async () => {
  expect((await send({ body: 'x'.repeat(300_000) })).status).toBe(413);
});

test('a refusal does not reveal whether the account exists (R13.5)', async () => {
  const withAccounts = createProcessorApp({
    ...ports(),
    accounts: {
      use: async ({ account }, work) =>
        account === 'there-is'
          ? { outcome: 'used', result: await work(provider.connector) }
          : { outcome: 'absent' },
    },
  });
  const call = async (
    account: string,
    sent: { headers?: Record<string, string>; body: string },
  ) => {
    const answer = await withAccounts.request(`/callbacks/sandbox/${account}`, {
      method: 'POST',
      ...sent,
    });
    const {
      instance: _,
      request_id: __,
      ...problem
    } = (await answer.json()) as Record<string, unknown>;
    return problem;
  };
  const signed = provider.callback('00000000-0000-4000-8000-000000000000', {});
  for (const sent of [{ body: signed.body }, { body: 'x'.repeat(300_000) }])
    expect(await call('there-is-not', sent)).toEqual(await call('there-is', sent));
  // Signed with the secret of another account.
  expect(await call('there-is-not', signed)).toMatchObject({
    status: 401,
    code: 'signature_invalid',
  });
});

test.each(['unreadable', 'unavailable'] as const)(
  'a callback to an account that is %s gets a 503, so that it is sent again, and is counted',
  async (outcome) => {
    const given = { ...ports(), accounts: { use: async () => ({ outcome }) } };
    const waiting = createProcessorApp(given);
    const signed = provider.callback('00000000-0000-4000-8000-000000000000', {});
    const answer = await waiting.request('/callbacks/sandbox/there-is', {
      method: 'POST',
      ...signed,
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toMatch(/^[123]$/);
    expect(await given.metrics.metrics()).toContain(
      `gateway_provider_reports_total{provider="sandbox",outcome="account_${outcome}",service="processor"} 1`,
    );
  },
);

test('HTTP metrics are exported', async () => {
  const answer = await app.request('/metrics');
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toContain('gateway_http_request_duration_seconds');
});
