import { describe, expect, it } from 'vitest';
import { parse, formatCents } from './support/decimal.ts';
import type { Json } from './support/answer.ts';
import { admin, control, sendRequest, target } from './support/http.ts';
import { allRoutes, payoutRoute, route } from './support/routes.ts';
import { openTestShop, shopForFile, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
const converting = [
  route({ conversion, options: { fx_rate: '0.012500' } }),
  payoutRoute({ conversion, options: { fx_rate: '0.012500' } }),
];
const adjust = async (of: TestShop, json: Json) =>
  admin('POST', `/shops/${of.shopId}/adjustments`, json);
const adjustment = (change: Json = {}): Json => ({
  adjustment_id: `adj-${crypto.randomUUID()}`,
  currency: 'RUB',
  amount: '10.00',
  reason: 'a correction',
  ...change,
});

/** Sums up the expected postings of a shop's operations and adjustments. */
class ExpectedBalance {
  balance = 0n;
  reserved = 0n;

  row(currency = 'RUB'): Json {
    const minus = -(this.balance + this.reserved);
    return {
      currency,
      balance: formatCents(this.balance),
      current_minus: formatCents(minus > 0n ? minus : 0n),
      reserved: formatCents(this.reserved),
    };
  }
}

describe('R12.4 GET /v1/balances', () => {
  const shop = shopForFile();

  it('returns only the balances of the key’s shop (R12.4)', async () => {
    const other = await openTestShop();
    await other.made(other.payout());
    expect(await shop.balance()).toMatchObject({ balance: '0.00', reserved: '0.00' });
    expect(await other.balance()).toMatchObject({ balance: '-111.00', reserved: '111.00' });
    const { merchantId } = other;
    const sister = await admin('POST', '/shops', { merchant_id: merchantId, name: 'Sister' });
    const key = await admin('POST', `/shops/${sister.body.shop_id}/api-keys`, { label: 'sister' });
    const headers = { 'x-api-key': key.body.api_key };
    const { body } = await sendRequest(`${target.gateways[0]}/v1/balances`, {
      method: 'GET',
      headers,
    });
    expect(body.balances.every(({ balance }: Json) => balance === '0.00')).toBe(true);
  });
});

describe('R12.3 a balance row on both instances', () => {
  it.each([
    ['without conversion', allRoutes, 'RUB'],
    ['with conversion', converting, 'USD'],
  ] as const)(
    'sums all postings, %s; current_minus = max(-(balance + reserved), 0) (R12.3)',
    async (_, routes, currency) => {
      const shop = await openTestShop({ routes, webhook: true });
      const expected = new ExpectedBalance();
      const agrees = async () => {
        for (const at of [0, 1] as const)
          expect(await shop.balance(currency, at)).toEqual(expected.row(currency));
      };
      const units = (state: Json) => parse(state.settlement_amount);
      const steps: [kind: 'payment' | 'payout', amount: string, command: object | undefined][] = [
        ['payment', '1000.00', { result: 'completed' }],
        ['payout', '100.00', { result: 'completed' }],
        ['payout', '250.00', { result: 'declined' }],
        ['payout', '80.00', undefined],
        ['payment', '333.33', { result: 'partial', legs: [{ amount: '111.11' }] }],
        ['payment', '50.00', { result: 'declined' }],
        ['payment', '60.00', { result: 'expired' }],
        [
          'payout',
          '5000.00',
          { result: 'partial', legs: [{ amount: '0.80' }, { amount: '2999.20' }] },
        ],
        [
          'payout',
          '400.00',
          { result: 'completed', legs: [{ amount: '300.00' }, { amount: '100.00' }] },
        ],
        ['payment', '9999.99', { result: 'completed' }],
      ];
      for (const [kind, amount, command] of steps) {
        const created = await shop.made(shop.create(kind, shop.body(kind, { amount })));
        const total = units(created);
        if (kind === 'payout') {
          expected.balance -= total;
          expected.reserved += total;
        }
        await agrees();
        if (command === undefined) continue;
        await control(created.operation_id, 'settle', command);
        await shop.delivered(created.operation_id);
        const state = await shop.state(created.operation_id);
        if (kind === 'payout') {
          expected.reserved -= total;
          expected.balance += total - units(state);
        } else expected.balance += units(state);
        await agrees();
      }
      expect((await adjust(shop, adjustment({ currency, amount: '-12.34' }))).status).toBe(201);
      expected.balance -= 1234n;
      await agrees();
    },
  );

  it.each([
    ['payment', '146.25', '0.00'],
    ['payout', '-161.50', '161.50'],
  ] as const)(
    'counts all the money of a %s beyond its expected amount (R12.16)',
    async (kind, balance, minus) => {
      const shop = await openTestShop({ webhook: true });
      const { operation_id: id } = await shop.made(shop.create(kind, shop.body(kind)));
      await control(id, 'settle', {
        result: 'completed',
        legs: [{ amount: '90.00' }, { amount: '60.00' }],
      });
      expect(await shop.delivered(id)).toMatchObject({ type: `${kind}.completed` });
      expect(await shop.state(id)).toMatchObject({ status: 'completed', actual_amount: '150.00' });
      expect(await shop.balance()).toEqual({
        currency: 'RUB',
        balance,
        current_minus: minus,
        reserved: '0.00',
      });
    },
  );

  it('does not change with a cancelled payment (R12.5)', async () => {
    const shop = await openTestShop();
    const { operation_id } = await shop.made(shop.pay());
    await shop.cancel({ operation_id });
    expect(await shop.balance()).toMatchObject({ balance: '0.00', reserved: '0.00' });
  });

  it('is exact after concurrent operations on two instances (R12.9)', async () => {
    const shop = await openTestShop({ webhook: true });
    const each = async (index: number) => {
      const kind = index % 3 === 0 ? 'payout' : 'payment';
      const amount = `${index + 1}.${String(index).padStart(2, '0')}`;
      const created = await shop.made(
        shop.create(kind, shop.body(kind, { amount }), { at: index % 2 === 0 ? 0 : 1 }),
      );
      await control(created.operation_id, 'settle', {
        result: index % 5 === 0 ? 'declined' : 'completed',
      });
      await shop.delivered(created.operation_id);
      const state = await shop.state(created.operation_id);
      return kind === 'payout' ? -parse(state.settlement_amount) : parse(state.settlement_amount);
    };
    const moves = await Promise.all(Array.from({ length: 45 }, async (_, index) => each(index)));
    const expected = new ExpectedBalance();
    expected.balance = moves.reduce((total, move) => total + move, 0n);
    for (const at of [0, 1] as const) expect(await shop.balance('RUB', at)).toEqual(expected.row());
  });

  it('R12.12: is never behind a webhook', async () => {
    const shop = await openTestShop({
      webhook: true,
      routes: [route({ commission: { percent: '0.00' } })],
    });
    for (let times = 1; times <= 10; times += 1) {
      const operation_id = await shop.settled(shop.pay({ amount: '1.00' }));
      await shop.delivered(operation_id);
      for (const at of [1, 0] as const)
        expect((await shop.balance('RUB', at)).balance).toBe(`${times}.00`);
    }
  });

  it('R12.12: is never behind a completed state', async () => {
    const shop = await openTestShop({ routes: [route({ commission: { percent: '0.00' } })] });
    for (let times = 1; times <= 10; times += 1) {
      const operation_id = await shop.settled(shop.pay({ amount: '1.00' }));
      await until('completed', async () => shop.read({ operation_id }), {
        holds: ({ status, body }) => status === 200 && body.status === 'completed',
      });
      expect((await shop.balance('RUB', 1)).balance).toBe(`${times}.00`);
    }
  });
});

describe('R12.14 adjustments', () => {
  const shop = shopForFile({ settings: { overdraft_limits: { RUB: '0.00' } } });

  it('return 201, then 200 for a repeat and 409 for another body (R12.14)', async () => {
    const own = await openTestShop();
    const body = adjustment({ amount: '25.50' });
    const first = await adjust(own, body);
    expect(first.status, first.text).toBe(201);
    const repeat = await adjust(own, body);
    expect(repeat.status).toBe(200);
    expect(repeat.body).toEqual(first.body);
    for (const change of [{ amount: '25.51' }, { currency: 'USD' }, { reason: 'another' }]) {
      expect(await adjust(own, { ...body, ...change })).toMatchObject({
        status: 409,
        body: { code: 'adjustment_conflict' },
      });
    }
    expect(await own.balance()).toMatchObject({ balance: '25.50', current_minus: '0.00' });
  });

  it('are never rejected by an overdraft limit (R12.11)', async () => {
    expect((await adjust(shop, adjustment({ amount: '-1000.00' }))).status).toBe(201);
    expect(await shop.balance()).toEqual({
      currency: 'RUB',
      balance: '-1000.00',
      current_minus: '1000.00',
      reserved: '0.00',
    });
  });

  it('are posted once for concurrent repeats (R12.14)', async () => {
    const own = await openTestShop();
    const body = adjustment();
    const answers = await Promise.all(Array.from({ length: 10 }, async () => adjust(own, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(await own.balance()).toMatchObject({ balance: '10.00' });
  });
});
