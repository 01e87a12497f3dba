import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { control } from './support/http.ts';
import { payoutRoute, route, type RouteRequest } from './support/routes.ts';
import { openTestShop, shopForFile, type TestShop } from './support/shop.ts';

// Every operation here is checked against the formulas as well; the tables were
// calculated by hand.

const usd = (fxRate: string, change: Partial<RouteRequest> = {}): Partial<RouteRequest> => ({
  conversion: { settlement_currency: 'USD', fx_source: 'sandbox' },
  options: { fx_rate: fxRate },
  ...change,
});

async function completed(
  of: TestShop,
  kind: 'payment' | 'payout',
  amount: string,
): Promise<[before: Json, after: Json]> {
  const before = await of.made(of.create(kind, of.body(kind, { amount })));
  await control(before.operation_id, 'settle', { result: 'completed' });
  const delivery = await of.delivered(before.operation_id);
  const after = await of.state(before.operation_id);
  expect(delivery.operation).toMatchObject({
    recorded_amount: after.recorded_amount,
    commission_amount: after.commission_amount,
    settlement_amount: after.settlement_amount,
  });
  return [before, after];
}

describe('R11.4 commission of a payment: half-up, plus a fixed part, up to its base', () => {
  it.each([
    ['100.00', { percent: '2.50' }, '2.50', '97.50'],
    ['0.20', { percent: '2.50' }, '0.01', '0.19'], // 0.005
    ['0.19', { percent: '2.50' }, '0.00', '0.19'], // 0.00475
    ['33.33', { percent: '1.50' }, '0.50', '32.83'], // 0.49995
    ['10.10', { percent: '5.00' }, '0.51', '9.59'], // 0.505
    ['1.00', { percent: '0.50' }, '0.01', '0.99'], // 0.005
    ['0.99', { percent: '0.50' }, '0.00', '0.99'], // 0.00495
    ['1000.00', { percent: '0.00' }, '0.00', '1000.00'],
    ['100.00', { percent: '2.50', fixed: '5.00' }, '7.50', '92.50'],
    ['5.00', { percent: '2.50', fixed: '5.00' }, '5.00', '0.00'],
    ['0.01', { percent: '2.50', fixed: '30.00' }, '0.01', '0.00'],
    ['999999999999999.99', { percent: '2.50' }, '25000000000000.00', '974999999999999.99'],
    ['123456789012345.67', { percent: '3.33' }, '4111111074111.11', '119345677938234.56'], // …111.110811
  ])(
    '%s at %j: commission %s, settlement %s (R5.4, R11.3, R11.4)',
    async (amount, commission, charged, settlement) => {
      const shop = await openTestShop({ routes: [route({ commission })], webhook: true });
      const [before, after] = await completed(shop, 'payment', amount);
      const figures = {
        commission_amount: charged,
        settlement_amount: settlement,
        settlement_currency: 'RUB',
      };
      expect(before).toMatchObject(figures);
      expect(after).toMatchObject({
        ...figures,
        recorded_amount: amount,
        recorded_currency: 'RUB',
      });
      expect(await shop.balance()).toMatchObject({
        balance: settlement,
        current_minus: '0.00',
        reserved: '0.00',
      });
    },
  );
});

describe('R11.5 commission of a payout, charged on top', () => {
  it.each([
    ['100.00', { percent: '1.00', fixed: '10.00' }, '11.00', '111.00'],
    ['0.01', { percent: '1.00', fixed: '30.00' }, '30.00', '30.01'],
    ['0.50', { percent: '1.00' }, '0.01', '0.51'],
    ['0.49', { percent: '1.00' }, '0.00', '0.49'],
    ['999999999999999.99', { percent: '2.00' }, '20000000000000.00', '1019999999999999.99'],
  ])('%s at %j: commission %s, total %s (R11.5)', async (amount, commission, charged, total) => {
    const shop = await openTestShop({ routes: [payoutRoute({ commission })], webhook: true });
    const [before, after] = await completed(shop, 'payout', amount);
    const figures = {
      commission_amount: charged,
      settlement_amount: total,
      settlement_currency: 'RUB',
    };
    expect(before).toMatchObject(figures);
    expect(after).toMatchObject({ ...figures, recorded_amount: amount });
    expect(await shop.balance()).toMatchObject({
      balance: `-${total}`,
      current_minus: total,
      reserved: '0.00',
    });
  });
});

describe('R11.6 auto-conversion', () => {
  it.each([
    ['payment', '100.00', '0.012500', '1.25', '0.03', '1.22'], // 2.5 % of 1.25 is 0.03125
    ['payment', '1.00', '0.012500', '0.01', '0.00', '0.01'],
    ['payment', '1.20', '0.012500', '0.02', '0.00', '0.02'], // 0.015
    [
      'payment',
      '999999999999999.99',
      '0.010987',
      '10987000000000.00',
      '274675000000.00',
      '10712325000000.00',
    ],
    ['payout', '100.00', '0.012500', '1.25', '0.03', '1.28'],
    ['payout', '12345.67', '0.011111', '137.17', '3.43', '140.60'], // 137.17274…, 3.42925
  ] as const)(
    '%s of %s at %s: recorded %s, commission %s, settlement %s (R5.3)',
    async (kind, amount, rate, ...expected) => {
      const make = kind === 'payment' ? route : payoutRoute;
      const shop = await openTestShop({
        routes: [make(usd(rate, { commission: { percent: '2.50' } }))],
        webhook: true,
      });
      const [before, after] = await completed(shop, kind, amount);
      const [recorded, charged, settlement] = expected;
      const figures = {
        commission_amount: charged,
        settlement_amount: settlement,
        settlement_currency: 'USD',
      };
      expect(before).toMatchObject({
        ...figures,
        currency: 'RUB',
        fx_rate: rate,
        fx_source: 'sandbox',
      });
      expect(before).not.toHaveProperty('recorded_amount');
      expect(after).toMatchObject({
        ...figures,
        fx_rate: rate,
        recorded_amount: recorded,
        recorded_currency: 'USD',
      });
      const sign = kind === 'payout' && settlement !== '0.00' ? '-' : '';
      expect(await shop.balance('USD')).toMatchObject({
        balance: `${sign}${settlement}`,
        reserved: '0.00',
      });
      expect(await shop.balance('RUB')).toMatchObject({
        balance: '0.00',
        reserved: '0.00',
        current_minus: '0.00',
      });
    },
  );

  it('reserves a payout in the ledger currency (R12.6)', async () => {
    const shop = await openTestShop({ routes: [payoutRoute(usd('0.012500'))] });
    const operation = await shop.made(shop.payout({ amount: '1000.00' }));
    expect(operation).toMatchObject({
      settlement_amount: '22.63',
      settlement_currency: 'USD',
      commission_amount: '10.13',
    });
    expect(await shop.balance('USD')).toMatchObject({
      balance: '-22.63',
      reserved: '22.63',
      current_minus: '0.00',
    });
  });

  it.each(['payment', 'payout'] as const)(
    'does not use a route on which a %s converts to zero (R7.9)',
    async (kind) => {
      const make = kind === 'payment' ? route : payoutRoute;
      const shop = await openTestShop({ routes: [make(usd('0.012500'))] });
      const answer = await shop.create(kind, shop.body(kind, { amount: '0.39' }));
      expect(answer, answer.text).toMatchObject({
        status: 422,
        body: { code: 'provider_not_accepted' },
      });
      expect(await shop.balance('USD')).toMatchObject({ balance: '0.00', reserved: '0.00' });
    },
  );

  it('uses the provider’s quote if the route has none (R11.7)', async () => {
    const conversion = { settlement_currency: 'EUR', fx_source: 'central-bank' };
    const shop = await openTestShop({ routes: [route({ conversion })], webhook: true });
    const [before, after] = await completed(shop, 'payment', '500.00');
    expect(before.fx_source).toBe('central-bank');
    expect(after.fx_rate).toBe(before.fx_rate);
    expect(after.settlement_currency).toBe('EUR');
  });

  it('converts the sum of partial payments, not each part (R11.6)', async () => {
    const shop = await openTestShop({
      routes: [route(usd('0.012500', { commission: { percent: '10.00' } }))],
    });
    const { operation_id: id } = await shop.made(shop.pay({ amount: '3.00' }));
    for (const [amount, actual] of [
      ['0.40', '0.40'],
      ['0.40', '0.80'],
      ['0.40', '1.20'],
    ] as const) {
      await control(id, 'leg', { amount });
      await shop.waitFor(id, (state) => state.actual_amount === actual);
    }
    await control(id, 'settle', { result: 'partial', legs: [{ amount: '0.40' }] });
    // 1.60 at 0.0125 is 0.02; each part alone would be 0.01, all four 0.04.
    expect(await shop.waitFor(id, 'partially_completed')).toMatchObject({
      actual_amount: '1.60',
      recorded_amount: '0.02',
      commission_amount: '0.00',
      settlement_amount: '0.02',
    });
  });
});

describe('R6.5: partial money', () => {
  const shop = shopForFile({ webhook: true });

  it.each(['payment', 'payout'] as const)(
    'leaves a %s pending with its expected amounts (R5.2, R6.5)',
    async (kind) => {
      const { operation_id: id } = await shop.made(shop.create(kind, shop.body(kind)));
      await control(id, 'leg', { amount: '40.00' });
      const state = await shop.waitFor(id, ({ actual_amount }) => actual_amount === '40.00');
      expect(state).toMatchObject({ status: 'pending', expected_amount: '100.00' });
      expect(state).not.toHaveProperty('recorded_amount');
      await control(id, 'leg', { amount: '60.00' });
      expect(await shop.waitFor(id, 'completed')).toMatchObject({ actual_amount: '100.00' });
      await shop.delivered(id);
      expect(shop.deliveriesOf(id)).toHaveLength(1);
    },
  );

  it.each([
    ['payment', '58.50', '1.50'],
    ['payout', '70.60', '10.60'],
  ] as const)(
    'settles a %s that closes with less to the captured amount (R5.4)',
    async (kind, settlement, charged) => {
      const { operation_id: id } = await shop.made(shop.create(kind, shop.body(kind)));
      await control(id, 'settle', {
        result: 'partial',
        legs: [{ amount: '35.00' }, { amount: '25.00' }],
      });
      expect(await shop.delivered(id)).toMatchObject({ type: `${kind}.partially_completed` });
      expect(await shop.state(id)).toMatchObject({
        status: 'partially_completed',
        expected_amount: '100.00',
        actual_amount: '60.00',
        recorded_amount: '60.00',
        settlement_amount: settlement,
        commission_amount: charged,
      });
    },
  );

  it('completes a payment once it reaches the expected amount (R6.4)', async () => {
    const { operation_id: id } = await shop.made(shop.pay());
    await control(id, 'leg', { amount: '99.99' });
    await shop.waitFor(id, ({ actual_amount }) => actual_amount === '99.99');
    await control(id, 'leg', { amount: '0.01' });
    expect(await shop.waitFor(id, 'completed')).toMatchObject({ actual_amount: '100.00' });
  });
});
