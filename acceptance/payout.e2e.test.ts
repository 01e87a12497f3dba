import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, control, provider, target } from './support/http.ts';
import { payoutRoute, route } from './support/routes.ts';
import { openTestShop, shopForFile, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const shop = shopForFile({ webhook: true });

const wait = target.acceptanceWaitMs;
const phone = { method: 'WT_RUB_PHONE', number: '+79451234567', bankname: 'tbank' };
const empty = { currency: 'RUB', balance: '0.00', current_minus: '0.00', reserved: '0.00' };
/** 100.00 and a commission of 1 % + 10.00. */
const reserved = { currency: 'RUB', balance: '-111.00', current_minus: '0.00', reserved: '111.00' };

/** A shop with these options, one payout route each, tried in order. */
async function cascade(...options: Record<string, unknown>[]): Promise<TestShop> {
  return openTestShop({
    routes: options.map((each, index) => payoutRoute({ priority: index + 1, options: each })),
    webhook: true,
  });
}

const balanceIs = async (of: TestShop, row: Json) =>
  until('the balance', async () => of.balance(), {
    holds: (now) => JSON.stringify(now) === JSON.stringify(row),
  });

describe('R5.1 a payout', () => {
  it('has bankname and bankname_details for WT_RUB_PHONE (R5.7)', async () => {
    const operation = await shop.made(shop.payout(phone));
    expect(operation).toMatchObject({ bankname: 'tbank', name: 'аноним' });
    expect(operation.bankname_details).toMatch(/[а-яё]/i);
  });

  it('has no webhook while pending, and one at its terminal status (R6.1, R14.1)', async () => {
    const id = await shop.settled(shop.payout());
    await shop.delivered(id);
    const all = shop.deliveriesOf(id);
    expect(all.map(({ type, sequence }) => `${type} ${sequence}`)).toEqual(['payout.completed 1']);
  });

  it.each([
    ['completed', { result: 'completed' }, '100.00', '-111.00'],
    ['partially_completed', { result: 'partial', legs: [{ amount: '40.00' }] }, '40.00', '-50.40'],
    ['declined', { result: 'declined' }, '0.00', '0.00'],
  ])('R6.2: becomes %s by the provider', async (status, command, actual, balance) => {
    const alone = await openTestShop({ webhook: true });
    const { operation_id: id } = await alone.made(alone.payout());
    expect(await alone.balance()).toEqual(reserved);
    await control(id, 'settle', command);
    expect(await alone.delivered(id)).toMatchObject({ type: `payout.${status}`, sequence: 1 });
    expect(await alone.state(id)).toMatchObject({ status, actual_amount: actual });
    const minus = balance.replace('-', '');
    expect(await alone.balance()).toEqual({
      currency: 'RUB',
      balance,
      current_minus: minus,
      reserved: '0.00',
    });
    expect(await alone.balance('RUB', 1)).toEqual(await alone.balance());
  });

  it('R6.4: becomes partially_completed if it is declined after a part was sent', async () => {
    const { operation_id: id } = await shop.made(shop.payout());
    await control(id, 'leg', { amount: '25.00' });
    await shop.waitFor(id, ({ actual_amount }) => actual_amount === '25.00');
    await control(id, 'settle', { result: 'declined' });
    expect(await shop.waitFor(id, 'partially_completed')).toMatchObject({
      actual_amount: '25.00',
      settlement_amount: '35.25',
    });
  });

  it('is submitted and reserved once for concurrent repeats on two instances (R7.8)', async () => {
    const alone = await openTestShop();
    const bodies = Array.from({ length: 5 }, () => alone.body('payout'));
    const answers = await Promise.all(
      bodies.flatMap((body) =>
        Array.from({ length: 8 }, async (_, index) =>
          alone.create('payout', body, { at: index % 2 === 0 ? 0 : 1 }),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const ids = [...new Set(answers.map(({ body }) => body.operation_id as string))];
    expect(ids).toHaveLength(5);
    for (const id of ids) expect((await provider(id)).submissions).toMatchObject([{ times: 1 }]);
    expect(await alone.balance()).toMatchObject({
      balance: '-555.00',
      reserved: '555.00',
      current_minus: '0.00',
    });
  });
});

describe('R7.6 payout cascade', () => {
  it('reserves the charge of the next route if its commission differs', async () => {
    const dearer = await openTestShop({
      routes: [
        payoutRoute({ options: { accept: 'decline' } }),
        payoutRoute({ priority: 2, commission: { percent: '5.00' } }),
      ],
    });
    const operation = await dearer.made(dearer.payout());
    expect(operation.settlement_amount).toBe('105.00');
    await balanceIs(dearer, {
      currency: 'RUB',
      balance: '-105.00',
      current_minus: '0.00',
      reserved: '105.00',
    });
    await control(operation.operation_id, 'settle', { result: 'completed' });
    await dearer.waitFor(operation.operation_id, 'completed');
    await balanceIs(dearer, {
      currency: 'RUB',
      balance: '-105.00',
      current_minus: '105.00',
      reserved: '0.00',
    });
  });

  it('reserves only in the ledger currency of the accepting route (R12.8)', async () => {
    const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
    const mixed = await openTestShop({
      routes: [
        payoutRoute({ conversion, options: { accept: 'decline', fx_rate: '0.020000' } }),
        payoutRoute({ priority: 2 }),
        payoutRoute({
          priority: 3,
          conversion,
          method: 'WT_RUB_PHONE',
          options: { fx_rate: '0.020000' },
        }),
        payoutRoute({ priority: 2, method: 'WT_RUB_PHONE', options: { accept: 'decline' } }),
      ],
      webhook: true,
    });
    const card = await mixed.made(mixed.payout());
    expect(card).toMatchObject({ settlement_amount: '111.00', settlement_currency: 'RUB' });
    await balanceIs(mixed, reserved);
    expect(await mixed.balance('USD')).toEqual({ ...empty, currency: 'USD' });
    const byPhone = await mixed.made(mixed.payout(phone));
    expect(byPhone).toMatchObject({
      settlement_amount: '12.02',
      settlement_currency: 'USD',
      fx_rate: '0.020000',
    });
    await balanceIs(mixed, reserved);
    expect(await mixed.balance('USD')).toMatchObject({ balance: '-12.02', reserved: '12.02' });
    for (const { operation_id: id } of [card, byPhone]) {
      await control(id, 'settle', { result: 'declined' });
      await mixed.delivered(id);
    }
    expect(await mixed.balance()).toEqual(empty);
    expect(await mixed.balance('USD')).toEqual({ ...empty, currency: 'USD' });
  });

  it('returns 422 and reserves nothing if there is no route', async () => {
    const without = await openTestShop({ routes: [route()] });
    expect(await without.payout()).toMatchObject({
      status: 422,
      body: { code: 'provider_not_accepted' },
    });
    expect(await without.balance()).toEqual(empty);
  });

  it.each([
    ['error', 'completed', { balance: '-111.00', current_minus: '111.00', reserved: '0.00' }],
    ['hang', 'completed', { balance: '-111.00', current_minus: '111.00', reserved: '0.00' }],
    ['error', 'declined', { balance: '0.00', current_minus: '0.00', reserved: '0.00' }],
    ['hang', 'declined', { balance: '0.00', current_minus: '0.00', reserved: '0.00' }],
  ])(
    'reports and posts the outcome after %s, once it is %s (R7.7)',
    async (accept, result, row) => {
      const unknown = await cascade({ accept });
      const { operation_id: id } = await unknown.made(
        unknown.payout({}, { route: unknown.routes[0] }),
      );
      await control(id, 'settle', { result });
      expect(await unknown.delivered(id)).toMatchObject({ type: `payout.${result}`, sequence: 1 });
      expect(await unknown.state(id)).toMatchObject({ status: result });
      expect(await unknown.balance()).toEqual({ currency: 'RUB', ...row });
      expect((await provider(id)).submissions).toHaveLength(1);
    },
  );

  it('keeps a payout pending if it is accepted after the wait (R7.7)', async () => {
    const late = await cascade({ accept_delay_ms: wait + 500 }, {});
    const { operation_id: id } = await late.made(late.payout());
    await until('the acceptance', async () => (await provider(id)).submissions[0], {
      holds: ({ acceptance }) => acceptance === 'accepted',
    });
    const seen = await provider(id);
    expect(seen.submissions).toHaveLength(1);
    expect(seen.cancels).toEqual([]);
    await control(id, 'settle', { result: 'completed' });
    await late.waitFor(id, 'completed');
  });

  it('declines a payout that is refused after the wait, and releases funds (R7.7)', async () => {
    const late = await cascade({ accept: 'hang' }, {});
    const body = late.body('payout');
    const id = await late.settled(late.create('payout', body), 'declined');
    await late.waitFor(id, 'declined');
    await balanceIs(late, empty);
    expect(await late.create('payout', body)).toMatchObject({ body: { operation_id: id } });
  });
});

describe('R12.10 overdraft_limits', () => {
  const limits = async (change: Json) =>
    openTestShop({ settings: { overdraft_limits: change }, webhook: true });
  const insufficient = { status: 422, body: { code: 'insufficient_funds', retryable: false } };

  it('do not apply unless configured (R12.11)', async () => {
    const free = await limits({});
    expect((await free.payout({ amount: '1000000.00' })).status).toBe(200);
    const other = await limits({ USD: '0.00' });
    expect((await other.payout({ amount: '1000000.00' })).status).toBe(200);
  });

  it('apply to the last hundredth (R12.10)', async () => {
    const limited = await limits({ RUB: '111.00' });
    const past = await limited.payout({ amount: '100.01' });
    expect(past).toMatchObject(insufficient);
    expect(await limited.balance()).toEqual(empty);
    expect((await limited.payout()).status).toBe(200);
    expect(await limited.balance()).toEqual(reserved);
    expect(await limited.payout({ amount: '0.01' })).toMatchObject(insufficient);
    expect(await limited.balance()).toEqual(reserved);
  });

  it('decline a payout for good, without a call to a provider (R12.10)', async () => {
    const limited = await limits({ RUB: '0.00' });
    const body = limited.body('payout');
    const answer = await limited.create('payout', body);
    expect(answer).toMatchObject(insufficient);
    const { operation_id: id } = answer.body;
    expect((await provider(id)).submissions).toEqual([]);
    expect(await limited.state(id)).toMatchObject({
      status: 'declined',
      settlement_amount: '0.00',
    });
    expect(await limited.delivered(id)).toMatchObject({ type: 'payout.declined' });
    const adjusted = {
      adjustment_id: 'top-up',
      currency: 'RUB',
      amount: '500.00',
      reason: 'top-up',
    };
    expect((await admin('POST', `/shops/${limited.shopId}/adjustments`, adjusted)).status).toBe(
      201,
    );
    expect(await limited.create('payout', body)).toMatchObject(insufficient);
    expect((await limited.payout()).status).toBe(200);
  });

  it('apply to the ledger currency (R12.10)', async () => {
    const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
    const routes = [payoutRoute({ conversion, options: { fx_rate: '0.010000' } })];
    const limited = await openTestShop({
      routes,
      settings: { overdraft_limits: { USD: '11.01', RUB: '0.00' } },
    });
    expect(await limited.payout({ amount: '100.50' })).toMatchObject(insufficient);
    expect((await limited.payout({ amount: '100.00' })).status).toBe(200);
    expect(await limited.balance('USD')).toMatchObject({ balance: '-11.01', reserved: '11.01' });
  });

  it('apply to later payouts after a change (R12.10)', async () => {
    const limited = await limits({ RUB: '0.00' });
    expect(await limited.payout()).toMatchObject(insufficient);
    const patched = await admin('PATCH', `/shops/${limited.shopId}`, {
      overdraft_limits: { RUB: '111.00' },
    });
    expect(patched).toMatchObject({ status: 200, body: { overdraft_limits: { RUB: '111.00' } } });
    await until('the new limit', async () => limited.payout(), {
      holds: ({ status }) => status === 200,
    });
  });

  it('are never exceeded by concurrent payouts on two instances (R12.10)', async () => {
    const limited = await limits({ RUB: '555.00' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        limited.payout({}, { at: index % 2 === 0 ? 0 : 1 }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ body }) => body.code === 'insufficient_funds')).toHaveLength(15);
    expect(await limited.balance()).toMatchObject({ balance: '-555.00', reserved: '555.00' });
  });
});
