import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, provider, target } from './support/http.ts';
import { route } from './support/routes.ts';
import { openTestShop, shopForFile, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const shop = shopForFile({ webhook: true });

const notAccepted = { status: 422, body: { code: 'provider_not_accepted', retryable: false } };
const wait = target.acceptanceWaitMs;

/** A shop with these options, one route each, tried in order. */
async function cascade(...options: Record<string, unknown>[]): Promise<TestShop> {
  const routes = options.map((each, index) =>
    route({ priority: index + 1, options: each, commission: { percent: `${index + 1}.00` } }),
  );
  return openTestShop({ routes, webhook: true });
}

const acceptances = async (id: string) =>
  (await provider(id)).submissions.map(({ acceptance }: Json) => acceptance) as string[];

const withdrawn = async (id: string) =>
  until(`${id} is withdrawn`, async () => (await provider(id)).cancels, {
    holds: ({ length }) => length > 0,
  });

describe('R5.1 a payment', () => {
  it('R5.8: has expires_at only if the provider reports it', async () => {
    const expiring = await openTestShop({ routes: [route({ options: { expires_in_s: 600 } })] });
    const before = Date.now();
    const { expires_at } = await expiring.made(expiring.pay());
    const acceptedAt = Date.parse(expires_at) - 600_000;
    expect(acceptedAt).toBeGreaterThanOrEqual(before);
    expect(acceptedAt).toBeLessThanOrEqual(Date.now());
    expect(await shop.made(shop.pay())).not.toHaveProperty('expires_at');
  });

  it('R5.16: has transfer_purpose only if the provider matches by it', async () => {
    const matching = await openTestShop({
      routes: [route({ options: { transfer_purpose: true } })],
    });
    const { operation_id: id, transfer_purpose: purpose } = await matching.made(matching.pay());
    expect(purpose).toMatch(/^SBX[0-9A-F]{12}$/);
    expect(await matching.state(id)).toMatchObject({ transfer_purpose: purpose });
    await matching.made(matching.cancel({ operation_id: id }));
    expect(await matching.state(id)).not.toHaveProperty('transfer_purpose');
    expect(await shop.made(shop.pay())).not.toHaveProperty('transfer_purpose');
  });

  it('R6.1: awaits confirmation if the route requires a receipt, and sends a webhook', async () => {
    const confirming = await openTestShop({
      routes: [route({ requires_receipt: true })],
      webhook: true,
    });
    const operation = await confirming.made(confirming.pay());
    expect(operation).toMatchObject({
      status: 'awaiting_confirmation',
      external_confirmation: { required: true, methods: ['receipt'] },
    });
    const delivery = await confirming.delivered(operation.operation_id);
    expect(delivery).toMatchObject({ type: 'payment.awaiting_confirmation', sequence: 1 });
    expect(delivery.operation.status).toBe('awaiting_confirmation');
  });

  it('R12.5: is completed by the provider, with figures, receipts and a webhook', async () => {
    const id = await shop.settled(shop.pay({ amount: '250.00' }));
    const delivery = await shop.delivered(id);
    expect(delivery).toMatchObject({ type: 'payment.completed', sequence: 1 });
    // A read is never behind a webhook (R10.2).
    const state = await shop.state(id);
    expect(state).toMatchObject({
      status: 'completed',
      actual_amount: '250.00',
      recorded_amount: '250.00',
      recorded_currency: 'RUB',
      settlement_amount: '243.75',
      commission_amount: '6.25',
      receipt_evidence_status: 'complete',
      receipts: [{ amount: 250 }],
    });
    const {
      receipts: _,
      receipt_evidence_status: __,
      number: ___,
      name: ____,
      ...expected
    } = state;
    expect(delivery.operation).toMatchObject(expected);
    expect(delivery.message.data.shop_id).toBe(shop.shopId);
  });

  it.each(['declined', 'expired'])(
    'R6.2: becomes %s by the provider, without money (R5.4)',
    async (result) => {
      const id = await shop.settled(shop.pay(), result);
      expect(await shop.delivered(id)).toMatchObject({ type: `payment.${result}`, sequence: 1 });
      expect(await shop.state(id)).toMatchObject({ status: result, actual_amount: '0.00' });
    },
  );
});

describe('R7.2 acceptance wait', () => {
  it('returns 422 without routes, with its own detail (R7.3)', async () => {
    const without = await openTestShop({ routes: [] });
    const answer = await without.pay();
    expect(answer).toMatchObject(notAccepted);
    expect(await acceptances(answer.body.operation_id)).toEqual([]);
    const refusing = await cascade({ accept: 'decline' });
    const refused = await refusing.pay();
    expect(refused).toMatchObject(notAccepted);
    expect(refused.body.detail).not.toBe(answer.body.detail);
  });

  it('returns 422 if no route allows the amount (R7.1)', async () => {
    const limited = await openTestShop({
      routes: [route({ min_amount: '10.00', max_amount: '20.00' })],
    });
    expect(await limited.pay({ amount: '9.99' })).toMatchObject(notAccepted);
    expect(await limited.pay({ amount: '20.01' })).toMatchObject(notAccepted);
    expect((await limited.pay({ amount: '10.00' })).status).toBe(200);
    expect((await limited.pay({ amount: '20.00' })).status).toBe(200);
  });

  it.each([{ accept: 'decline' }, { accept: 'error' }, { accept: 'hang' }])(
    'declines with 422 and no made-up requisites if no provider accepts: %j (R7.3)',
    async (options) => {
      const alone = await cascade(options);
      // A provider that hangs never responds, so the wait runs out.
      const answer = await alone.pay();
      expect(answer).toMatchObject(notAccepted);
      expect(JSON.stringify(answer.body)).not.toMatch(/"(number|expires_at|status":"pending)/);
      expect(await alone.state(answer.body.operation_id)).toMatchObject({
        status: 'declined',
        actual_amount: '0.00',
      });
      expect(await alone.delivered(answer.body.operation_id)).toMatchObject({
        type: 'payment.declined',
      });
    },
  );

  it('tries routes in order of priority until one accepts (R7.1)', async () => {
    const shuffled = await openTestShop({
      routes: [
        route({ priority: 3, options: {}, commission: { percent: '3.00' } }),
        route({ priority: 1, options: { accept: 'decline' }, commission: { percent: '1.00' } }),
        route({ priority: 2, options: {}, commission: { percent: '2.00' } }),
      ],
    });
    const operation = await shuffled.made(shuffled.pay());
    expect(operation.commission_amount).toBe('2.00');
    expect(await acceptances(operation.operation_id)).toEqual(['refused', 'accepted']);
  });

  it('applies the receipt and conversion of the accepting route only (R7.10)', async () => {
    const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
    const mixed = await openTestShop({
      routes: [
        route({ options: { accept: 'decline' }, requires_receipt: true, conversion }),
        route({ priority: 2, commission: { percent: '2.00' } }),
      ],
    });
    expect(await mixed.made(mixed.pay())).toMatchObject({
      status: 'pending',
      settlement_currency: 'RUB',
    });
    mixed.routes = [
      route({ options: { accept: 'decline' } }),
      route({ priority: 2, requires_receipt: true, conversion, options: { fx_rate: '0.020000' } }),
    ];
    await admin('PUT', `/shops/${mixed.shopId}/routes`, { routes: mixed.routes });
    const taken = await until(
      'the other routes',
      async () => mixed.call('/v1/payment', mixed.body('payment')),
      {
        holds: ({ body }) => body.settlement_currency === 'USD',
      },
    );
    expect(taken.body).toMatchObject({
      status: 'awaiting_confirmation',
      fx_rate: '0.020000',
      settlement_amount: '1.95',
    });
  });

  it.each(['error', 'hang'])(
    'tries the next route after %s, and withdraws the first attempt (R7.2, R7.4)',
    async (accept) => {
      const failing = await cascade({ accept }, {});
      const operation = await failing.made(failing.pay());
      expect(operation).toMatchObject({ status: 'pending', commission_amount: '2.00' });
      const { operation_id: id } = operation;
      await withdrawn(id);
      expect(await failing.state(id)).toMatchObject({ status: 'pending' });
    },
  );

  it('withdraws a late acceptance without a change of the payment (R7.4)', async () => {
    const late = await openTestShop({
      routes: [
        route({ priority: 1, options: { accept_delay_ms: wait + 500 } }),
        route({ priority: 2, commission: { percent: '2.00' } }),
      ],
      webhook: true,
    });
    const chosen = late.routes[1];
    const operation = await late.made(late.pay({}, { route: chosen }));
    const { operation_id: id } = operation;
    await until('the late acceptance', async () => acceptances(id), {
      holds: (all) => all.includes('accepted'),
    });
    await withdrawn(id);
    expect(await late.state(id)).toMatchObject({ status: 'pending', number: operation.number });
  });

  it('withdraws an acceptance after the 422, which remains (R7.4)', async () => {
    const late = await openTestShop({
      routes: [route({ options: { accept_delay_ms: wait + 300 } })],
      webhook: true,
    });
    const body = late.body('payment');
    const answer = await late.create('payment', body, { route: undefined });
    expect(answer).toMatchObject(notAccepted);
    const { operation_id: id } = answer.body;
    await withdrawn(id);
    expect(await late.state(id)).toMatchObject({ status: 'declined' });
    expect(await late.create('payment', body)).toMatchObject({
      status: 422,
      body: { operation_id: id },
    });
    await late.delivered(id);
    expect(late.deliveriesOf(id).map(({ type }) => type)).toEqual(['payment.declined']);
  });

  it('is divided among the routes, however many there are (R7.2)', async () => {
    const routes = Array.from({ length: 6 }, () => ({ accept: 'hang' }));
    const answer = await (await cascade(...routes)).pay();
    expect(answer).toMatchObject(notAccepted);
    // A full wait for the first route would leave none for the others. A slow machine may not reach
    // all of them.
    const { operation_id: id } = answer.body;
    await until('several routes are tried', async () => acceptances(id), {
      holds: ({ length }) => length > 1,
    });
  });

  it('R6.9: returns 404 to reads until the create has an outcome', async () => {
    const acceptDelayMs = wait / 2;
    const slow = await cascade({ accept_delay_ms: acceptDelayMs });
    const body = slow.body('payment');
    const read = async () => slow.read({ merchant_operation_id: body.merchant_operation_id });
    // The provider accepts no earlier than this.
    const acceptedAtMs = Date.now() + acceptDelayMs;
    const statusesBefore = async () => {
      const seen = new Set<number>();
      for (;;) {
        const { status } = await read();
        if (Date.now() >= acceptedAtMs) return [...seen];
        seen.add(status);
        await delay(100);
      }
    };
    const [, statuses] = await Promise.all([
      slow.made(slow.create('payment', body)),
      statusesBefore(),
    ]);
    expect(statuses).toEqual([404]);
    expect((await read()).status).toBe(200);
  });
});

describe('R5.12 internal identifiers', () => {
  it('are in no answer, webhook or error (R2.8, R5.12)', async () => {
    const id = await shop.settled(shop.pay());
    const delivery = await shop.delivered(id);
    const refusing = await cascade({ accept: 'decline' });
    const refused = await refusing.pay();
    for (const text of [JSON.stringify(await shop.state(id)), delivery.body])
      expect(text).not.toMatch(/sandbox|sbx_|attempt|priority|provider/i);
    // Its code and detail report that no provider accepted it, and not which ones were tried.
    expect(refused.status).toBe(422);
    expect(refused.text).not.toMatch(/sandbox|sbx_|attempt|priority/i);
  });
});
