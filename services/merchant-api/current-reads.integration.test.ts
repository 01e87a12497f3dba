import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { useProxiedStore } from '#infra/verify/harness/stores/store.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { useGateway } from './testing/gateway.ts';
import { untilAnswered } from '#infra/verify/harness/tests/eventually.ts';

const gateway = useGateway();

type Shop = Awaited<ReturnType<typeof gateway.shop>>;
const origin = { actor: 'service:test', correlationId: 'test' };
/** Declines a payment by a report of its provider: that status needs no evidence of money. */
const decline = (operationId: string) =>
  gateway.report(operationId, { status: 'declined', legs: [] });
const readStatus = async (shop: Shop, operation_id: string) =>
  (await untilAnswered(() => shop.state({ operation_id }))).body.status as string;
const readBalance = async (shop: Shop) => {
  const { body } = await untilAnswered(() => shop.fetch('/v1/balances', { method: 'GET' }));
  return body.balances[1].balance as string;
};
const adjust = (shop: Shop, amount: string) =>
  gateway.ledgers.post({
    kind: 'adjustment',
    adjustmentId: newId(),
    amount,
    reason: 'test',
    shopId: shop.shopId,
    currency: 'RUB',
    dueSince: 0n,
    origin,
  });

describe('a read on either of two instances', () => {
  let one: Shop;
  let other: Shop;
  beforeAll(async () => {
    one = await gateway.shop();
    const own = connectEventStore(inject('eventStoreUrl'));
    const ledgers = createLedgers({ store: own });
    const instance = await gateway.secondInstance({ store: own, ledgers });
    other = one.on(instance);
    return async () => {
      await ledgers.stop();
      await own.close();
    };
  });

  it('returns a balance with every entry that was posted before the request', async () => {
    const shop = await gateway.shop();
    const readers = [shop, shop.on(await gateway.secondInstance()), shop];
    for (let posted = 1; posted <= 20; posted += 1) {
      await adjust(shop, '1.00');
      const balances = await Promise.all(readers.map(readBalance));
      expect(balances).toEqual(readers.map(() => `${posted}.00`));
    }
  });

  it('never returns the old status once a change is done, under concurrent reads', async () => {
    const { body } = await one.pay({});
    const id = body.operation_id as string;
    let ended = false;
    const stale: string[] = [];
    const readers = [one, other, one, other].map(async (shop) => {
      for (let readsAfter = 0; readsAfter < 20;) {
        const mustBeEnded = ended;
        const status = await readStatus(shop, id);
        if (mustBeEnded) readsAfter += 1;
        if (mustBeEnded && status !== 'declined') stale.push(status);
      }
    });
    await decline(id);
    ended = true;
    await Promise.all(readers);
    expect(stale).toEqual([]);
  });
});

describe('a read while the event store is unavailable', () => {
  it.each(['stall', 'close'] as const)(
    'returns 503 instead of a cached state until the store responds (%s) (R12.13)',
    async (how) => {
      const { proxy, store } = await useProxiedStore();
      const ledgers = createLedgers({ store });
      onTestFinished(() => ledgers.stop());
      const shop = await gateway.shop();
      const behindProxy = shop.on(await gateway.secondInstance({ store, ledgers }));
      const { body } = await shop.pay({});
      const id = body.operation_id as string;
      // The log is polled from the first read on, and the state is cached from the second, so after
      // these reads it is cached.
      for (let reads = 0; reads < 5; reads += 1) {
        expect(await readStatus(behindProxy, id)).toBe('pending');
        expect(await readBalance(behindProxy)).toBe('0.00');
      }
      if (how === 'stall') proxy.stall();
      else await proxy.close();
      await decline(id);
      const answers = await Promise.all([
        behindProxy.state({ operation_id: id }),
        behindProxy.fetch('/v1/balances', { method: 'GET' }),
      ]);
      expect(answers.map(({ status, body: { code } }) => ({ status, code }))).toEqual([
        { status: 503, code: 'not_ready' },
        { status: 503, code: 'accounting_unavailable' },
      ]);
      for (const { headers, body: problem } of answers) {
        expect(headers.get('retry-after')).toMatch(/^\d+$/);
        expect(problem).toMatchObject({ retryable: true });
      }
      if (how === 'close') return;
      proxy.resume();
      expect(await readStatus(behindProxy, id)).toBe('declined');
      expect(await readBalance(behindProxy)).toBe('0.00');
    },
  );
});
