import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newId } from '#shared/platform/ids.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();

const requisites = [
  'number',
  'name',
  'bankname',
  'bankname_details',
  'expires_at',
  'external_confirmation',
];
const expectNothingToPay = (operation: object) => {
  for (const field of requisites) expect(operation).not.toHaveProperty(field);
};

describe('POST /v1/cancel_operation', () => {
  it('rejects payouts (R8.1)', async () => {
    const shop = await gateway.shop({ routes: [{ type: 'payout' }] });
    const { operation_id } = (await shop.payOut({ merchant_operation_id: 'order-1' })).body;
    for (const by of [{ operation_id }, { merchant_operation_id: 'order-1' }]) {
      const refused = await shop.cancel(by);
      const { code, retryable } = refused.body;
      expect([refused.status, code, retryable]).toEqual([412, 'cancel_payout_unsupported', false]);
    }
  });

  it('rejects a payment that is partially paid (R8.5)', async () => {
    const shop = await gateway.shop();
    const { operation_id } = (await shop.pay({})).body;
    await gateway.report(operation_id, {
      status: 'open',
      legs: [{ leg_id: newId(), amount: '40.00', completed_at: '2026-01-31T12:00:00.000Z' }],
    });
    expect(await shop.cancel({ operation_id })).toMatchObject({
      status: 412,
      body: { code: 'cancel_not_allowed', retryable: false },
    });
    expect((await shop.state({ operation_id })).body).toMatchObject({
      status: 'pending',
      actual_amount: '40.00',
    });
  });

  it('returns the same 404 for an unknown operation and one of another shop (R8.8)', async () => {
    const shop = await gateway.shop();
    const other = await gateway.shop();
    const { operation_id } = (await other.pay({})).body;
    const answers = [
      await shop.cancel({ operation_id }),
      await shop.cancel({ operation_id: newId() }),
    ];
    for (const { status, body } of answers)
      expect([status, body.code]).toEqual([404, 'operation_not_found']);
    const [left, right] = answers.map(({ body }) => ({ ...body, request_id: '' }));
    expect(left).toEqual(right);
    expect((await other.state({ operation_id })).body.status).toBe('pending');
  });
});

describe('a cancel before its create', () => {
  it('prevents a payout with the same key (R8.7)', async () => {
    const shop = await gateway.shop({ routes: [{ type: 'payout' }] });
    await shop.cancel({ merchant_operation_id: 'order-1' });
    const refused = await shop.payOut({ merchant_operation_id: 'order-1' });
    expect([refused.status, refused.body.code]).toEqual([412, 'idempotency_body_mismatch']);
    expect(await shop.state({ merchant_operation_id: 'order-1' })).toMatchObject({
      status: 404,
      body: { code: 'operation_not_found' },
    });
  });
});

describe('a cancel during its create', () => {
  it('wins: the create returns cancelled, and no read shows requisites (R8.10)', async () => {
    const answered = Promise.withResolvers<void>();
    const api = await gateway.withSandbox({
      submit: async (...submission) => {
        const answer = await gateway.sandbox.submit(...submission);
        await answered.promise;
        return answer;
      },
    });
    const shop = (await gateway.shop({ routes: [{ options: { expires_in_s: 600 } }] })).on(api);
    const creating = shop.post(
      '/v1/payment/link',
      gateway.payment({ merchant_operation_id: 'order-1' }),
    );
    const { operation_id } = await gateway.provider.submitted(shop, 'order-1');
    expect((await shop.cancel({ operation_id })).status).toBe(404);
    const cancelled = await shop.cancel({ merchant_operation_id: 'order-1' });
    expect(cancelled.body).toMatchObject({ outcome: 'cancelled', operation: { operation_id } });
    answered.resolve();
    const created = await creating;
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({ operation_id, status: 'cancelled', payment_url: null });
    expectNothingToPay(created.body);
    const read = await shop.state({ operation_id });
    expect(read.body.status).toBe('cancelled');
    expectNothingToPay(read.body);
  });

  const races = Number(process.env['RACES'] ?? 40);
  it(
    `agrees with the create on two instances, in any order (${races} races) (R8.9)`,
    { timeout: 60_000 + races * 100 },
    async () => {
      const shop = await gateway.shop({ routes: [{ options: { expires_in_s: 600 } }] });
      const elsewhere = shop.on(await gateway.secondInstance());
      const seen = { createFirst: 0, cancelFirst: 0, during: 0 };
      for (let race = 0; race < races; race += 1) {
        const merchant_operation_id = newId();
        const pay = () => shop.pay({ merchant_operation_id });
        const cancel = () => elsewhere.cancel({ merchant_operation_id });
        // The cancel is sent from well before the create to well after it. In the first two races
        // one waits for the other, so that both orders occur on any machine.
        const aheadMs = ((race % 20) - 10) * 0.8;
        const paid = race === 0 ? await pay() : undefined;
        const dropped = race === 1 ? await cancel() : undefined;
        const [created, cancelled] = await Promise.all([
          paid ?? delay(Math.max(0, -aheadMs)).then(pay),
          dropped ?? delay(Math.max(0, aheadMs)).then(cancel),
        ]);
        expect([created.status, cancelled.status, cancelled.body.outcome]).toEqual([
          200,
          200,
          'cancelled',
        ]);
        const { operation_id } = cancelled.body.operation;
        expect(created.body.operation_id).toBe(operation_id);
        for (const by of [{ operation_id }, { merchant_operation_id }]) {
          const read = await (race % 2 === 0 ? shop : elsewhere).state(by);
          expect(read.body.status).toBe('cancelled');
          expectNothingToPay(read.body);
        }
        const { events } = await gateway.eventTypes(operation_id);
        expect(events.filter((type) => type === 'OperationCancelled')).toHaveLength(1);
        if (events[0] === 'OperationCancelledBeforeCreate') seen.cancelFirst += 1;
        else if (created.body.status === 'pending') seen.createFirst += 1;
        else seen.during += 1;
        if (created.body.status === 'cancelled') expectNothingToPay(created.body);
      }
      // Every order occurred; otherwise there was no real race.
      expect(seen.createFirst + seen.cancelFirst + seen.during).toBe(races);
      expect(seen.cancelFirst).toBeGreaterThan(0);
      expect(seen.createFirst + seen.during).toBeGreaterThan(0);
      if (process.env['RACES'] !== undefined)
        process.stdout.write(`races: ${JSON.stringify(seen)}\n`);
    },
  );
});
