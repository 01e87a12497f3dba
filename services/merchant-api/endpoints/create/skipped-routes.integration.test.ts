import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { setupLeaseMs } from '#shared/application/directory/stream.ts';
import { writeToDirectory } from '#shared/application/directory/testing/write.ts';
import { newId } from '#shared/platform/ids.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();

async function switchProvider(
  provider: string,
  type: 'ProviderSwitchedOff' | 'ProviderSwitchedOn',
) {
  await writeToDirectory(gateway.store, type, { provider, reason: 'a test' });
  await delay(setupLeaseMs);
}
const skipped = (provider: string, priority: number) => ({
  type: 'RoutesSkipped',
  data: { routes: [{ provider, priority, reason: 'provider_off' }] },
});

it('a provider that is switched off is skipped on every instance (R7.14)', async () => {
  // A provider without a connector: an attempt with it is refused, which shows that it was tried.
  const provider = `off-${newId()}`;
  const shop = await gateway.shop({ routes: [{ provider }, { priority: 2 }] });
  const instances = [shop, shop.on(await gateway.secondInstance())];
  const eventsOf = async (client: (typeof instances)[number]) => {
    const { status, body } = await client.pay({});
    expect(status).toBe(200);
    return gateway.store.read(`operation-${body.operation_id}`);
  };
  const typesOf = async (client: (typeof instances)[number]) =>
    (await eventsOf(client)).map(({ type }) => type);
  const triesBoth = ['OperationAdmitted', 'AttemptStarted', 'AttemptRefused', 'AttemptStarted'];

  for (const client of instances)
    expect(await typesOf(client)).toEqual([...triesBoth, 'AttemptAccepted']);
  await switchProvider(provider, 'ProviderSwitchedOff');
  for (const client of instances) {
    const events = await eventsOf(client);
    expect(events).toMatchObject([
      { type: 'OperationAdmitted' },
      skipped(provider, 1),
      { type: 'AttemptStarted', data: { attempt: 1, route: { provider: 'sandbox' } } },
      { type: 'AttemptAccepted' },
    ]);
  }
  await switchProvider(provider, 'ProviderSwitchedOn');
  for (const client of instances)
    expect(await typesOf(client)).toEqual([...triesBoth, 'AttemptAccepted']);
});

it('a provider that is switched off during a call to another one is skipped (R7.14)', async () => {
  const provider = `off-${newId()}`;
  const shop = await gateway.shop({
    routes: [{}, { provider, priority: 2 }, { priority: 3 }],
  });
  // The first answers only once the second is switched off.
  const switched = Promise.withResolvers<void>();
  const api = await gateway.withSandbox({
    submit: async (submission, bounds) => {
      if (submission.attempt > 1) return gateway.sandbox.submit(submission, bounds);
      await switched.promise;
      return { outcome: 'unknown', cause: 'timeout' };
    },
  });
  const paying = shop.on(api).pay({ merchant_operation_id: 'order-1' });
  await switchProvider(provider, 'ProviderSwitchedOff');
  switched.resolve();
  const { status, body } = await paying;
  expect(status).toBe(200);
  const events = await gateway.store.read(`operation-${body.operation_id}`);
  // The first attempt is withdrawn concurrently.
  expect(events.filter(({ type }) => type !== 'AttemptWithdrawn')).toMatchObject([
    { type: 'OperationAdmitted' },
    { type: 'AttemptStarted' },
    { type: 'AttemptUnresolved' },
    skipped(provider, 2),
    { type: 'AttemptStarted', data: { attempt: 2, route: { priority: 3 } } },
    { type: 'AttemptAccepted' },
  ]);
});

it('a route is refused without a call if its provider does not carry its method (R7.3)', async () => {
  const shop = await gateway.shop({ routes: [{ requires_receipt: true }] });
  let calls = 0;
  const api = await gateway.withSandbox({
    carries: gateway.sandbox.carries.filter(({ type }) => type === 'payout'),
    submit: async (...call) => {
      calls += 1;
      return gateway.sandbox.submit(...call);
    },
  });
  const { status, body } = await shop.on(api).pay({});
  expect([status, calls]).toEqual([422, 0]);
  expect(await gateway.store.read(`operation-${body.operation_id}`)).toMatchObject([
    { type: 'OperationAdmitted' },
    { type: 'AttemptStarted' },
    { type: 'AttemptRefused', data: { reason: 'not_carried' } },
    { type: 'OperationDeclined' },
  ]);
});
