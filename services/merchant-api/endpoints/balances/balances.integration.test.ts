import { describe, expect, it } from 'vitest';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { newId } from '#shared/platform/ids.ts';
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
});
