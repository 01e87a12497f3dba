import type { Kysely } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { readDayUse } from '#projections/operations/day-use.ts';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import { startProjections, type Projections } from '#projections/start.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import { append } from '#projections/testing/append.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { admitted, route, started } from '#shared/domain/operation/testing/given.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { newId } from '#shared/platform/ids.ts';
import { useGateway } from '../testing/gateway.ts';
import { createDayUse } from './day-use.ts';

// The tests query the use of the current day, which must not change meanwhile.
await avoidMidnight();

const own = useOwnEventStore();
const gateway = useGateway(() => own.log.url);
const database = databaseForFile();
let db: Kysely<unknown>;
let projections: Projections;
beforeAll(async () => {
  db = connectDatabase<unknown>(database.url, { applicationName: 'test' });
  projections = startProjections({ db, store: own.store, logger, models: [operationsReadModel] });
  const isReady = () =>
    read('none', '2000-01-01').then(
      () => true,
      () => false,
    );
  await eventually('the read model is ready', isReady);
});
afterAll(async () => {
  await projections.stop();
  await db.destroy();
});

const read = (shopId: string, day: string) => readDayUse(db, { shopId, day });
/** An instance of the API with its own counts and clock. */
async function instance(clock = { ms: 0 }) {
  const now = () => Date.now() + clock.ms;
  const dayUse = createDayUse({ store: own.store, read, logger, now });
  onTestFinished(() => dayUse.stop());
  // On a machine that stalls, the read may take longer than a create waits.
  const isRead = async (shopId: string) => (await dayUse.of(shopId)) !== undefined;
  const untilRead = (shopId: string) => eventually('it is read', () => isRead(shopId));
  return { api: await gateway.secondInstance({ dayUse }), dayUse, untilRead, clock };
}
type Client = Awaited<ReturnType<typeof gateway.shop>>;
const createsOf = async (client: Client, count: number, change: object = {}) => {
  const answers = await Promise.all(Array.from({ length: count }, () => client.pay(change)));
  return {
    accepted: answers.filter(({ status }) => status === 200).length,
    refused: answers.filter(({ status }) => status === 422),
  };
};
const reasonsOf = async (operationId: string) => {
  const events = await own.store.read(`operation-${operationId}`);
  return events.flatMap(({ type, data }) => (type === 'RoutesSkipped' ? [data] : []));
};

it('an instance enforces a daily count exactly under concurrent creates (R7.17)', async () => {
  const { api, untilRead } = await instance();
  const shop = (await gateway.shop({ routes: [{ daily_count: 5 }] })).on(api);
  await untilRead(shop.shopId);
  const { accepted, refused } = await createsOf(shop, 20);
  expect(accepted).toBe(5);
  expect(refused).toHaveLength(15);
  const [first] = refused;
  expect(first?.body).toMatchObject({
    code: 'provider_not_accepted',
    detail: expect.stringMatching(/^the daily limits are reached/),
  });
  expect(await reasonsOf(first?.body.operation_id)).toEqual([
    { routes: [{ provider: 'sandbox', priority: 1, reason: 'route_full' }] },
  ]);
});

it('instances see each other’s use through the log, also one started later (R7.17)', async () => {
  const [one, two] = [await instance(), await instance()];
  const shop = await gateway.shop({ routes: [{ daily_amount: '1000.00' }, { priority: 2 }] });
  const usesFirstRoute = async (client: Client, amount = '100.00') => {
    const { body } = await client.pay({ amount });
    return (await reasonsOf(body.operation_id)).length === 0;
  };
  await Promise.all([one, two].map(({ untilRead }) => untilRead(shop.shopId)));
  for (let index = 0; index < 5; index += 1) {
    expect(await usesFirstRoute(shop.on(one.api))).toBe(true);
    expect(await usesFirstRoute(shop.on(two.api))).toBe(true);
  }
  // It takes a moment until each sees the other's attempts; then both are full, even for the
  // smallest amount.
  await eventually('both have received the attempts', async () => {
    const days = await Promise.all([one, two].map(({ dayUse }) => dayUse.of(shop.shopId)));
    return days.every((each) => each?.usedBy(route(), { operationId: 'another' }).count === 10);
  });
  expect(await usesFirstRoute(shop.on(one.api), '0.01')).toBe(false);
  expect(await usesFirstRoute(shop.on(two.api), '0.01')).toBe(false);
  const late = await instance();
  await late.untilRead(shop.shopId);
  expect(await usesFirstRoute(shop.on(late.api), '0.01')).toBe(false);
});

it('a new instance counts open attempts, and frees those that are withdrawn (R7.17)', async () => {
  const [operationId, shopId] = [newId(), newId()];
  const stream = operationStream(operationId);
  const unresolved = { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } };
  const history = [
    admitted({ operationId, shopId, merchantOperationId: operationId }),
    started(),
    unresolved,
  ];
  await append(own.store, stream, { events: history });
  const today = new Date().toISOString().slice(0, 10);
  await expect.poll(async () => (await read(shopId, today)).used.size).toBe(1);
  const { dayUse, untilRead } = await instance();
  const used = async () =>
    (await dayUse.of(shopId))?.usedBy(route(), { operationId: 'another' }).count;
  await untilRead(shopId);
  expect(await used()).toBe(1);
  const withdrawn = { type: 'AttemptWithdrawn', data: { attempt: 1 } };
  await append(own.store, stream, { events: [withdrawn], after: 2 });
  await eventually('the slot is free', async () => (await used()) === 0);
});

it('a daily limit applies anew on the next day (R7.17)', async () => {
  const { api, clock, untilRead } = await instance();
  const shop = (await gateway.shop({ routes: [{ daily_count: 1 }] })).on(api);
  await untilRead(shop.shopId);
  expect((await createsOf(shop, 1)).accepted).toBe(1);
  expect((await createsOf(shop, 1)).accepted).toBe(0);
  clock.ms = 86_400_000;
  expect((await createsOf(shop, 1)).accepted).toBe(1);
});

it('a slot in use blocks other creates at once, and is free after a refusal (R7.17)', async () => {
  const { dayUse, untilRead } = await instance();
  const refuses = Promise.withResolvers<{ outcome: 'refused'; reason: string }>();
  const api = await gateway.withSandbox({ submit: () => refuses.promise }, { dayUse });
  const shop = (await gateway.shop({ routes: [{ daily_count: 1 }] })).on(api);
  await untilRead(shop.shopId);
  const used = async () =>
    (await dayUse.of(shop.shopId))?.usedBy(route(), { operationId: 'x' }).count;
  const first = shop.pay({});
  await eventually('the slot is taken', async () => (await used()) === 1);
  expect(await Promise.all([shop.pay({}), shop.pay({})])).toMatchObject([
    { status: 422, body: { detail: expect.stringContaining('daily limits are reached') } },
    { status: 422, body: { detail: expect.stringContaining('daily limits are reached') } },
  ]);
  refuses.resolve({ outcome: 'refused', reason: 'declined' });
  expect((await first).body.detail).toBe('every eligible provider refused the operation');
  await eventually('the slot is free', async () => (await used()) === 0);
  expect((await shop.pay({})).body.detail).toBe('every eligible provider refused the operation');
});

it('a create that was cancelled in advance does not use up a daily limit (R7.17)', async () => {
  const { api, untilRead } = await instance();
  const shop = (await gateway.shop({ routes: [{ daily_count: 1 }] })).on(api);
  await untilRead(shop.shopId);
  const order = { merchant_operation_id: newId() };
  await shop.cancel({ ...order, reason: 'user_cancelled' });
  const { body } = await shop.pay(order);
  const { type } = (await own.store.read(`operation-${body.operation_id}`)).at(-1) ?? {};
  expect(type).toBe('OperationCancelled');
  expect((await createsOf(shop, 2)).accepted).toBe(1);
});

it('a create returns 503 while the use of its only route is unknown (R7.17)', async () => {
  let isDown = true;
  const dayUse = createDayUse({
    store: own.store,
    read: async (shopId, day) => {
      if (isDown) throw new Error('the read model is still starting');
      return read(shopId, day);
    },
    logger,
  });
  onTestFinished(() => dayUse.stop());
  const api = await gateway.secondInstance({ dayUse });
  const shop = (await gateway.shop({ routes: [{ daily_count: 5 }] })).on(api);
  const order = { merchant_operation_id: newId() };
  expect(await shop.pay(order)).toMatchObject({ status: 503, body: { code: 'not_ready' } });
  isDown = false;
  const status = async () => (await shop.pay(order)).status;
  await expect.poll(status).toBe(200);
});

it('a route is skipped while its use is unknown (R7.17)', async () => {
  const broken = createDayUse({
    store: own.store,
    read: async () => {
      throw new Error('the database is away');
    },
    logger,
  });
  onTestFinished(() => broken.stop());
  const routes = [{ daily_count: 5 }, { priority: 2 }];
  for (const change of [{ dayUse: broken }, {}]) {
    const shop = (await gateway.shop({ routes })).on(await gateway.secondInstance(change));
    const { status, body } = await shop.pay({});
    expect(status).toBe(200);
    expect(await reasonsOf(body.operation_id)).toEqual([
      { routes: [{ provider: 'sandbox', priority: 1, reason: 'limit_unknown' }] },
    ]);
  }
});

it('routes with the default account and with none are counted together (R23.3)', async () => {
  const shopId = 'shop-both';
  for (const by of [route({ account: 'default' }), route(), route({ account: 'second' })]) {
    const operationId = newId();
    const events = [
      admitted({ operationId, shopId, merchantOperationId: operationId }),
      started(1, by),
    ];
    await append(own.store, operationStream(operationId), { events });
  }
  const day = new Date().toISOString().slice(0, 10);
  const counts = async () => {
    const { used } = await read(shopId, day);
    return Object.fromEntries([...used].map(([key, { count }]) => [key.split(' ').at(-1), count]));
  };
  await expect.poll(counts).toEqual({ default: 2, second: 1 });
});
