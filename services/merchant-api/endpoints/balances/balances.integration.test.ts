import { describe, expect, it, onTestFinished } from 'vitest';
import { useProxiedStore } from '#infra/verify/harness/store.ts';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();

type Shop = Awaited<ReturnType<typeof gateway.shop>>;
const origin = { actor: 'service:test', correlationId: 'test' };
const post = async (shop: Shop, command: LedgerCommand, currency = 'RUB') => {
  const { shopId } = shop;
  const result = await gateway.ledgers.post({
    ...command,
    shopId,
    currency,
    dueSince: 0n,
    origin,
  });
  expect(result).toMatchObject({ outcome: 'posted' });
};
const correction = (amount: string): LedgerCommand => ({
  kind: 'adjustment',
  adjustmentId: newId(),
  amount,
  reason: 'test',
});
const zeros = { balance: '0.00', current_minus: '0.00', reserved: '0.00' };
const balances = (shop: Shop) => shop.fetch('/v1/balances', { method: 'GET' });

describe('GET /v1/balances', () => {
  it('returns a row for every currency in alphabetical order, zero or not (R12.4)', async () => {
    const { status, headers, body } = await balances(await gateway.shop());
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      balances: ['EUR', 'RUB', 'USD', 'USDT'].map((currency) => ({ currency, ...zeros })),
    });
  });

  it('subtracts reservations from the balance, but ignores them in current_minus', async () => {
    const shop = await gateway.shop();
    const row = async () => (await balances(shop)).body.balances[1];
    const payout = { operationId: newId(), reservation: 1 };
    await post(shop, correction('100.00'));
    await post(shop, { kind: 'reserve', ...payout, amount: '130.50' });
    expect(await row()).toEqual({
      currency: 'RUB',
      balance: '-30.50',
      current_minus: '0.00',
      reserved: '130.50',
    });
    await post(shop, correction('-110.00'));
    expect(await row()).toMatchObject({
      balance: '-140.50',
      current_minus: '10.00',
      reserved: '130.50',
    });
    await post(shop, {
      kind: 'capture',
      ...payout,
      reserved: '130.50',
      recorded: '130.00',
      commission: '0.50',
    });
    expect(await row()).toMatchObject({
      balance: '-140.50',
      current_minus: '140.50',
      reserved: '0.00',
    });
  });

  it('returns exact amounts beyond the precision of floating point (R11.1)', async () => {
    const shop = await gateway.shop();
    await post(shop, correction('999999999999999.99'), 'USDT');
    await post(shop, correction('999999999999999.99'), 'USDT');
    await post(shop, correction('0.03'), 'USDT');
    expect((await balances(shop)).body.balances[3]).toEqual({
      currency: 'USDT',
      ...zeros,
      balance: '2000000000000000.01',
    });
  });

  it('returns only the shop’s own balances, the same on every instance', async () => {
    const [shop, other] = [await gateway.shop(), await gateway.shop()];
    await post(shop, correction('5.00'));
    const second = shop.on(await gateway.secondInstance());
    expect((await balances(second)).body).toEqual((await balances(shop)).body);
    expect((await balances(second)).body.balances[1].balance).toBe('5.00');
    expect((await balances(other)).body.balances[1].balance).toBe('0.00');
  });

  it('requires a key, and allows no method but GET', async () => {
    const shop = await gateway.shop();
    expect((await shop.fetch('/v1/balances?currency=RUB', { method: 'GET' })).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await shop.fetch('/v1/balances', { method });
      expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
    const { status, body } = await gateway.fetch('/v1/balances', { method: 'GET' });
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'api_key_required' });
  });
});

describe('an inconsistent ledger', () => {
  const entry = (shop: Shop, change: object) => ({
    shop_id: shop.shopId,
    currency: 'RUB',
    kind: 'adjustment',
    adjustment_id: newId(),
    reason: 'forged',
    legs: [
      { account: 'balance', amount: '1.00' },
      { account: 'external', amount: '-1.00' },
    ],
    balance_after: '6.00',
    reserved_after: '0.00',
    ...change,
  });

  it.each([
    ['a position that does not follow', { balance_after: '600.00' }],
    ['legs that do not balance', { legs: [{ account: 'balance', amount: '1.00' }] }],
    ['a negative reserve', { legs: [], balance_after: '5.00', reserved_after: '-1.00' }],
    ['another shop’s entry', { shop_id: newId() }],
    ['a malformed entry', { legs: 'none' }],
  ])('returns 500 without balances: %s (R12.13)', async (_what, change) => {
    const shop = await gateway.shop();
    await post(shop, correction('5.00'));
    await gateway.store.append({
      stream: ledgerStream(shop.shopId, 'RUB'),
      expectedRevision: 0,
      events: [newEvent({ type: 'EntryPosted', data: entry(shop, change) })],
    });
    const { status, body } = await balances(shop);
    expect({ status, code: body.code, retryable: body.retryable }).toEqual({
      status: 500,
      code: 'accounting_inconsistent',
      retryable: false,
    });
    expect(body).not.toHaveProperty('balances');
  });

  it('does not result from the same entry when it is consistent', async () => {
    const shop = await gateway.shop();
    await post(shop, correction('5.00'));
    await post(shop, correction('1.00'));
    expect((await balances(shop)).body.balances[1].balance).toBe('6.00');
  });
});

describe('an unavailable ledger', () => {
  it('returns a retryable 503, then balances once it is available (R12.13)', async () => {
    const { proxy, store } = await useProxiedStore();
    const ledgers = createLedgers({ store });
    onTestFinished(() => ledgers.stop());
    const shop = await gateway.shop();
    await post(shop, correction('5.00'));
    const behindProxy = shop.on(await gateway.secondInstance({ ledgers }));
    expect((await balances(behindProxy)).body.balances[1].balance).toBe('5.00');

    proxy.stall();
    // The store still hangs.
    const { status, headers, body } = await balances(behindProxy);
    expect({ status, code: body.code, retryable: body.retryable }).toEqual({
      status: 503,
      code: 'accounting_unavailable',
      retryable: true,
    });
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(body).not.toHaveProperty('balances');

    proxy.resume();
    expect(await balances(behindProxy)).toMatchObject({ status: 200 });
  });
});
