import { expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { providerStream } from '#shared/domain/provider/events.ts';
import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import { newId } from '#shared/platform/ids.ts';
import { createBreakers } from '#shared/application/providers/breakers.ts';
import { useGateway } from './testing/gateway.ts';

const gateway = useGateway();

it('a breaker skips a failing provider, and probes it after a pause (R7.16)', async () => {
  const provider = `fails-${newId()}`;
  let fails = true;
  let submissions = 0;
  const failing: ProviderConnector = {
    ...gateway.sandbox,
    name: provider,
    submit: async () => {
      submissions += 1;
      return fails
        ? { outcome: 'unknown', cause: 'error' }
        : { outcome: 'refused', reason: 'limit' };
    },
  };
  let nowMs = 0;
  const policy = { windowMs: 1_000, minCalls: 3, openAt: 0.8, pauseMs: 500 };
  const breakers = createBreakers({ store: gateway.store, logger }, { policy, now: () => nowMs });
  const api = await gateway.secondInstance({
    providers: new Map([...gateway.providers, [provider, failing]]),
    breakers,
  });
  const shop = (await gateway.shop({ routes: [{ provider }, { priority: 2 }] })).on(api);
  const typesOf = async () => {
    const { status, body } = await shop.pay({});
    expect(status).toBe(200);
    return (await gateway.eventTypes(body.operation_id)).events;
  };
  const recordedEvents = async () => {
    await breakers.stop();
    return (await gateway.store.read(providerStream(provider))).map(({ type, data }) => ({
      type,
      data,
    }));
  };
  const tried = [
    'OperationAdmitted',
    'AttemptStarted',
    'AttemptUnresolved',
    'AttemptStarted',
    'AttemptAccepted',
  ];
  const skipped = ['OperationAdmitted', 'RoutesSkipped', 'AttemptStarted', 'AttemptAccepted'];

  for (let index = 0; index < 3; index += 1) expect(await typesOf()).toEqual(tried);
  expect(await typesOf()).toEqual(skipped);
  expect(submissions).toBe(3);
  const opened = {
    type: 'ProviderBreakerOpened',
    data: { provider, type: 'payment', calls: 3, unknown: 3 },
  };
  expect(await recordedEvents()).toEqual([opened]);
  // After the pause one operation tries the provider and fails, and the next one skips it again.
  nowMs = 600;
  expect(await typesOf()).toEqual(tried);
  expect(await typesOf()).toEqual(skipped);
  fails = false;
  nowMs = 1_200;
  expect(await typesOf()).toContain('AttemptRefused');
  expect(await typesOf()).toContain('AttemptRefused');
  expect(await recordedEvents()).toEqual([
    opened,
    { type: 'ProviderBreakerClosed', data: { provider, type: 'payment' } },
  ]);
});

it('a repeated create does not use up the breaker’s probe (R7.16)', async () => {
  const provider = `fails-${newId()}`;
  let submissions = 0;
  const submit: ProviderConnector['submit'] = async () => {
    submissions += 1;
    return { outcome: 'unknown', cause: 'error' };
  };
  let nowMs = 0;
  const policy = { windowMs: 1_000, minCalls: 1, openAt: 0.8, pauseMs: 500 };
  const breakers = createBreakers({ store: gateway.store, logger }, { policy, now: () => nowMs });
  const providers = new Map([
    ...gateway.providers,
    [provider, { ...gateway.sandbox, name: provider, submit }],
  ]);
  const api = await gateway.secondInstance({ providers, breakers });
  const shop = (await gateway.shop({ routes: [{ provider }, { priority: 2 }] })).on(api);
  const order = { merchant_operation_id: newId() };
  expect((await shop.pay(order)).status).toBe(200);
  expect(submissions).toBe(1);
  nowMs = 600;
  expect((await shop.pay(order)).status).toBe(200);
  expect((await shop.pay({})).status).toBe(200);
  expect(submissions).toBe(2);
  await breakers.stop();
});

it.each([
  [{ type: 'payout' }, [{ type: 'payment' }]],
  [
    { type: 'payment', account: 'second' },
    [{ type: 'payment' }, { type: 'payment', account: 'third' }],
  ],
] as const)('a breaker opens only for the failing type and account: %j (R7.16)', async (...of) => {
  const provider = `separate-${newId()}`;
  const breakers = createBreakers({ store: gateway.store, logger });
  const failing = { provider, ...of[0] };
  const others = of[1].map((each) => ({ provider, ...each }));
  for (let call = 0; call < 20; call += 1) {
    breakers.begin(failing)({ unknown: true });
    for (const other of others) breakers.begin(other)({ unknown: false });
  }
  expect(breakers.failing(failing)).toBe(true);
  expect(others.filter((each) => breakers.failing(each))).toEqual([]);
  await breakers.stop();
  const events = await gateway.store.read(providerStream(provider));
  expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
    { type: 'ProviderBreakerOpened', data: { ...failing, calls: 20, unknown: 20 } },
  ]);
});

it('an accepted create appends twice and reads nothing (R7.16)', async () => {
  const calls: string[] = [];
  const counted = new Proxy(gateway.store, {
    get: (store, name) => {
      const method: unknown = Reflect.get(store, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(method, store, args) as unknown;
      };
    },
  });
  const breakers = createBreakers({ store: counted, logger });
  const shop = (await gateway.shop()).on(
    await gateway.secondInstance({ store: counted, breakers }),
  );
  // The first payment of a client creates the client's key.
  expect((await shop.pay({})).status).toBe(200);
  calls.length = 0;
  expect((await shop.pay({})).status).toBe(200);
  // `recent` asks no server: it is the memory of this process.
  expect(calls.filter((call) => call !== 'recent')).toEqual(['append', 'append']);
});
