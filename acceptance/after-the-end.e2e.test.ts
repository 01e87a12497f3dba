import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, control, provider } from './support/http.ts';
import { payoutRoute, route } from './support/routes.ts';
import { openTestShop, type Kind, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

/** Only of its shop, because concurrent tests fill the page of all shops. */
const suspense = async (of: TestShop, id: string): Promise<Json[]> => {
  const answer = await admin('GET', `/suspense?shop_id=${of.shopId}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.entries.filter((entry: Json) => entry.operation_id === id);
};
const money = (entries: Json[]) => entries.filter((entry) => entry.amount !== undefined);

/** All that a merchant and an auditor can see of a terminal operation. */
async function snapshot(of: TestShop, id: string): Promise<Json> {
  const state = await of.state(id);
  // Links are created for each read.
  for (const receipt of state.receipts) receipt.receipt_url = typeof receipt.receipt_url;
  // A webhook may be delivered twice if the response to it was slow.
  const webhooks = [...new Set(of.deliveriesOf(id).map(({ body }) => body))];
  return { state, balance: await of.balance(), webhooks };
}

async function createTerminal(of: TestShop, kind: Kind, result: string): Promise<string> {
  const { operation_id: id } = await of.made(of.create(kind, of.body(kind)));
  if (result === 'cancelled') await of.cancel({ operation_id: id });
  else await control(id, 'settle', { result });
  await of.delivered(id);
  return id;
}

describe('R6.3: a terminal status never changes', () => {
  it.each([
    ['payment', 'completed'],
    ['payment', 'partial'],
    ['payment', 'declined'],
    ['payment', 'expired'],
    ['payment', 'cancelled'],
    ['payout', 'completed'],
    ['payout', 'declined'],
  ] as const)('late money for a %s that is %s goes to suspense (R13.7)', async (kind, result) => {
    const shop = await openTestShop({ webhook: true });
    const id = await createTerminal(shop, kind, result);
    const before = await snapshot(shop, id);
    const events = (await shop.events(id)).length;
    await control(id, 'late-money', { amount: '12.34' });
    const entries = await until('the suspense entry', async () => suspense(shop, id), {
      holds: ({ length }) => length > 0,
    });
    expect(entries).toMatchObject([{ operation_id: id, amount: '12.34', currency: 'RUB' }]);
    expect(await snapshot(shop, id)).toEqual(before);
    expect((await shop.events(id)).length).toBeGreaterThan(events);
  });

  it.each([
    ['payment', 'completed', 'declined'],
    ['payment', 'declined', 'completed'],
    ['payment', 'expired', 'completed'],
    ['payment', 'cancelled', 'completed'],
    ['payout', 'completed', 'declined'],
    ['payout', 'declined', 'completed'],
  ] as const)(
    'a %s that is %s does not change if the provider reports %s later (R6.3)',
    async (kind, first, second) => {
      const shop = await openTestShop({ webhook: true });
      const id = await createTerminal(shop, kind, first);
      const before = await snapshot(shop, id);
      const events = (await shop.events(id)).length;
      await control(id, 'settle', { result: second });
      await until('another event', async () => shop.events(id), {
        holds: ({ length }) => length > events,
      });
      if (second === 'completed') {
        await until('the suspense entry', async () => suspense(shop, id), {
          holds: ({ length }) => length > 0,
        });
      }
      expect(await snapshot(shop, id)).toEqual(before);
    },
  );

  it.each(['payment', 'payout'] as const)(
    'money for a %s that no provider accepted goes to suspense (R13.8)',
    async (kind) => {
      const options = { accept: kind === 'payment' ? 'hang' : 'decline' };
      const shop = await openTestShop({
        routes: [route({ options }), payoutRoute({ options })],
        webhook: true,
      });
      const refused = await shop.create(kind, shop.body(kind));
      expect(refused.status, refused.text).toBe(422);
      const { operation_id: id } = refused.body;
      await shop.delivered(id);
      const before = await snapshot(shop, id);
      await control(id, 'settle', { result: 'completed' });
      const lateMoney = await until(
        'the suspense entry',
        async () => money(await suspense(shop, id)),
        {
          holds: ({ length }) => length > 0,
        },
      );
      expect(lateMoney).toMatchObject([{ amount: '100.00' }]);
      expect(await snapshot(shop, id)).toEqual(before);
    },
  );

  it.each([
    ['payment', 'payment_charged_back', 'charge_shop', '-30.00', 'credit_shop'],
    ['payout', 'payout_returned', 'credit_shop', '30.00', 'charge_shop'],
  ] as const)(
    'R13.18: returned money of a %s waits for an operator, who decides once',
    async (kind, entryKind, resolution, moved, wrong) => {
      const shop = await openTestShop({ webhook: true });
      const id = await createTerminal(shop, kind, 'completed');
      const before = await snapshot(shop, id);
      await control(id, 'return', { amount: '30.00' });
      const [entry] = await until('the suspense entry', async () => suspense(shop, id), {
        holds: ({ length }) => length > 0,
      });
      expect(entry).toMatchObject({
        kind: entryKind,
        amount: '30.00',
        currency: 'RUB',
        beyond_amount: null,
      });
      // R14.20: a webhook reports it, with the operation as it ended, and the state shows it.
      const { message } = await shop.delivered(id, 2);
      const type = kind === 'payment' ? 'payment.charged_back' : 'payout.returned';
      const webhook = await shop.delivered(id, 1);
      expect(message).toMatchObject({
        type,
        sequence: 2,
        data: {
          operation: webhook.operation,
          returned: { amount: '30.00', currency: 'RUB', total: '30.00' },
        },
      });
      expect(await snapshot(shop, id)).toEqual({
        ...before,
        state: { ...before.state, returned_amount: '30.00' },
        webhooks: [...before.webhooks, expect.any(String)],
      });
      const beforeResolution = await snapshot(shop, id);
      const resolve = (how: string) =>
        admin('POST', `/suspense/${entry.entry_id}/resolve`, { resolution: how, note: 'seen' });
      expect(await resolve(wrong)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
      for (const _ of [1, 2]) expect(await resolve(resolution)).toMatchObject({ status: 200 });
      const after = await snapshot(shop, id);
      const [balanceBefore, balanceAfter] = [beforeResolution, after].map(({ balance }) =>
        Number(balance.balance),
      );
      expect(((balanceAfter ?? 0) - (balanceBefore ?? 0)).toFixed(2)).toBe(moved);
      expect({ ...after, balance: 0 }).toEqual({ ...beforeResolution, balance: 0 });
      // An amount beyond the received money is reported.
      await control(id, 'return', { amount: '100.00' });
      const both = await until('the second suspense entry', async () => suspense(shop, id), {
        holds: ({ length }) => length > 1,
      });
      expect(both.find(({ status }) => status === 'open')).toMatchObject({
        beyond_amount: '30.00',
      });
      const again = await shop.delivered(id, 3);
      expect(again.message).toMatchObject({
        type,
        data: { returned: { amount: '100.00', total: '130.00' } },
      });
      for (const at of [0, 1] as const)
        expect(await shop.made(shop.read({ operation_id: id }, at))).toMatchObject({
          returned_amount: '130.00',
        });
      const listed = async () =>
        (await shop.call('/v1/operations')).body.operations[0]?.returned_amount;
      await until('the list', listed, { holds: (amount) => amount === '130.00' });
    },
  );

  it('duplicate and reordered callbacks change nothing (R13.1)', async () => {
    const options = { duplicate_callbacks: 2, reorder_callbacks: true };
    const shop = await openTestShop({
      routes: [route({ options }), payoutRoute({ options })],
      webhook: true,
    });
    for (const kind of ['payment', 'payout'] as const) {
      const { operation_id: id } = await shop.made(shop.create(kind, shop.body(kind)));
      await control(id, 'leg', { amount: '30.00' });
      await control(id, 'leg', { amount: '30.00' });
      await control(id, 'settle', { result: 'completed' });
      await shop.delivered(id);
      expect(await shop.waitFor(id, 'completed')).toMatchObject({ actual_amount: '100.00' });
      expect(new Set(shop.deliveriesOf(id).map(({ body }) => body)).size).toBe(1);
      expect(await suspense(shop, id)).toEqual([]);
    }
    // 97.50 came in, 111.00 went out.
    expect(await shop.balance()).toMatchObject({
      balance: '-13.50',
      current_minus: '13.50',
      reserved: '0.00',
    });
  });

  it('either a cancel or concurrent money wins; late money goes to suspense (R6.3)', async () => {
    const shop = await openTestShop({ webhook: true });
    for (let round = 0; round < 16; round += 1) {
      const { operation_id: id } = await shop.made(shop.pay());
      const [cancel] = await Promise.all([
        shop.cancel({ operation_id: id }, round % 2 === 0 ? 0 : 1),
        control(id, 'settle', { result: 'completed' }),
      ]);
      const { status } = await shop.waitFor(id, (state) => state.status !== 'pending');
      await shop.delivered(id);
      if (status === 'cancelled') {
        expect(cancel.body.outcome).toBe('cancelled');
        // If this fails, the provider's callbacks show where the money is.
        const seen = async () => ({
          lateMoney: money(await suspense(shop, id)),
          ...(await provider(id)),
        });
        await until('the late money', seen, { holds: ({ lateMoney }) => lateMoney.length === 1 });
      } else
        expect(cancel.body.outcome ?? cancel.body.code).toMatch(
          /already_terminal|cancel_not_allowed/,
        );
      expect(await shop.state(id)).toMatchObject({ status });
      expect(shop.deliveriesOf(id)).toHaveLength(1);
    }
  });
});
