import { describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { createBreakers } from '#shared/application/providers/breakers.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import { newId } from '#shared/platform/ids.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();

type Shop = Awaited<ReturnType<typeof gateway.shop>>;
const positionOf = (shop: Shop, currency = 'RUB') =>
  gateway.ledgers.position(shop.shopId, currency);
const route = (change: object = {}) => ({ type: 'payout', ...change });

describe('POST /v1/payout (R12.6)', () => {
  it('reserves the charge, and returns a pending payout with a masked number (R12.6)', async () => {
    const shop = await gateway.shop({
      routes: [route({ commission: { percent: '2.50', fixed: '1.00' } })],
    });
    const { status, body } = await shop.payOut({});
    expect(status).toBe(200);
    expect(body).toEqual({
      operation_id: expect.any(String),
      type: 'payout',
      status: 'pending',
      method: 'WT_RUB_C2C',
      expected_amount: '100.00',
      actual_amount: '0.00',
      currency: 'RUB',
      settlement_amount: '103.50',
      commission_amount: '3.50',
      settlement_currency: 'RUB',
      number: '220012******9010',
      name: 'аноним',
    });
    expect(await positionOf(shop)).toMatchObject({
      balance: '-103.50',
      reserved: '103.50',
      currentMinus: '0.00',
    });
    expect((await gateway.eventTypes(body.operation_id)).events).toEqual([
      'OperationAdmitted',
      'AttemptStarted',
      'ReservationRequested',
      'FundsReserved',
      'AttemptAccepted',
    ]);
  });
});

describe('a payout beyond the overdraft limit', () => {
  it('is declined with insufficient_funds, also when repeated', async () => {
    const shop = await gateway.shop({ routes: [route()], overdraftLimits: { RUB: '102.49' } });
    const request = gateway.payout();
    const first = await shop.post('/v1/payout', request);
    expect([first.status, first.body.code]).toEqual([422, 'insufficient_funds']);
    const events = await gateway.store.read(`operation-${first.body.operation_id}`);
    expect(events.find(({ type }) => type === 'AttemptRefused')?.data).toMatchObject({
      reason: 'insufficient_funds',
      funds: { currency: 'RUB', balance: '0.00', limit: '102.49', need: '102.50' },
    });
    const again = await shop.post('/v1/payout', request);
    expect([again.status, again.body.code, again.headers.get('idempotent-replayed')]).toEqual([
      422,
      'insufficient_funds',
      'true',
    ]);
    expect((await shop.state({ operation_id: first.body.operation_id })).body).toMatchObject({
      status: 'declined',
      settlement_amount: '0.00',
    });
    expect(await gateway.provider.status(first.body.operation_id)).toBe(404);
    expect((await shop.payOut({ amount: '99.99' })).status).toBe(200);
  });
});

describe('a payout cascade', () => {
  it('tries the next route after a refusal, on one reservation if the terms match (R12.8)', async () => {
    const shop = await gateway.shop({
      routes: [route({ options: { accept: 'decline' } }), route({ priority: 2 })],
    });
    const { body } = await shop.payOut({});
    expect(body.status).toBe('pending');
    expect((await gateway.eventTypes(body.operation_id)).events.slice(3)).toEqual([
      'FundsReserved',
      'AttemptRefused',
      'AttemptStarted',
      'FundsReserved',
      'AttemptAccepted',
    ]);
    expect(await positionOf(shop)).toMatchObject({
      balance: '-102.50',
      reserved: '102.50',
      currentMinus: '0.00',
      revision: 0,
    });
  });

  for (const accept of ['error', 'hang']) {
    it(`stops at an unknown outcome (${accept}): pending, funds stay reserved (R7.6)`, async () => {
      const shop = await gateway.shop({
        routes: [route({ options: { accept } }), route({ priority: 2 })],
      });
      const { status, body } = await shop.on(gateway.impatient()).payOut({});
      expect([status, body.status, body.settlement_amount]).toEqual([200, 'pending', '102.50']);
      expect((await gateway.eventTypes(body.operation_id)).events.at(-1)).toBe('AttemptUnresolved');
      expect((await gateway.provider.seen(body.operation_id)).submissions).toHaveLength(1);
      expect(await positionOf(shop)).toMatchObject({ balance: '-102.50', reserved: '102.50' });
    });
  }

  it('declines the payout and releases its funds if every route refuses (R12.7)', async () => {
    const refusing = route({ options: { accept: 'decline' } });
    const shop = await gateway.shop({ routes: [refusing, { ...refusing, priority: 2 }] });
    const { status, body } = await shop.payOut({});
    expect([status, body.code]).toEqual([422, 'provider_not_accepted']);
    expect(body.detail).toMatch(/refused/);
    // The reservation is released before this response, although no processor runs.
    expect(await positionOf(shop)).toMatchObject({ balance: '0.00', reserved: '0.00' });
  });
});

describe('a terminal status in a response (R12.12)', () => {
  const leg = (amount: string) => ({
    leg_id: newId(),
    amount,
    completed_at: '2026-01-31T12:00:00.000Z',
  });

  it('is posted to the ledger first, for a payment', async () => {
    const shop = await gateway.shop();
    const { operation_id } = (await shop.pay({})).body;
    await gateway.complete(operation_id, [leg('100.00')]);
    expect(await positionOf(shop)).toMatchObject({ balance: '0.00' });
    await shop.cancel({ operation_id });
    expect(await positionOf(shop)).toMatchObject({ balance: '97.50' });
    await shop.state({ operation_id });
    expect(await positionOf(shop)).toMatchObject({ balance: '97.50', revision: 0 });
  });

  it('is posted first for a payout, and releases the uncharged reserve (R4.1)', async () => {
    const shop = await gateway.shop({ routes: [route()] });
    const request = gateway.payout();
    const { operation_id } = (await shop.post('/v1/payout', request)).body;
    await gateway.complete(operation_id, [leg('60.00')]);
    const elsewhere = shop.on(await gateway.secondInstance());
    const [repeat] = await Promise.all([
      elsewhere.post('/v1/payout', request),
      shop.state({ merchant_operation_id: request.merchant_operation_id }),
    ]);
    expect(repeat).toMatchObject({
      status: 200,
      body: { status: 'partially_completed', settlement_amount: '61.50' },
    });
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(await positionOf(shop)).toMatchObject({
      balance: '-61.50',
      reserved: '0.00',
      revision: 1,
    });
  });
});

describe('POST /v1/payment/link (R5.11)', () => {
  it('adds payment_url to the payment; a plain repeat has none', async () => {
    const shop = await gateway.shop();
    const request = gateway.payment();
    const linked = await shop.post('/v1/payment/link', request);
    const { payment_url, ...rest } = linked.body;
    expect(payment_url).toBe(`http://pay.test/${linked.body.operation_id}`);
    const plain = await shop.post('/v1/payment', request);
    expect(plain.body).toEqual(rest);
    expect(plain.headers.get('idempotent-replayed')).toBe('true');
    expect((await shop.post('/v1/payment/link', request)).body).toEqual(linked.body);
  });

  it('returns a null payment_url if the shop has no hosted page', async () => {
    const shop = await gateway.shop({ hostedPage: false });
    const { body } = await shop.post('/v1/payment/link', gateway.payment());
    expect(body).toMatchObject({
      status: 'pending',
      payment_url: null,
      number: expect.stringMatching(/^\d{16}$/),
    });
  });

  it('returns 422 without payment_url if no provider accepts', async () => {
    const shop = await gateway.shop({ routes: [{ options: { accept: 'decline' } }] });
    const { status, body, text } = await shop.post('/v1/payment/link', gateway.payment());
    expect([status, body.code]).toEqual([422, 'provider_not_accepted']);
    expect(text).not.toContain('payment_url');
  });
});

describe('a payout at a provider without idempotency keys (R7.15)', () => {
  const accepted = { outcome: 'accepted', providerReference: 'ref' } as const;

  it.each([
    ['is not ordered again if the provider has it, as after a restore of an older log', true, 0],
    ['is ordered once if the provider does not know it', false, 1],
  ])('%s', async (_, isKnown, orders) => {
    const shop = await gateway.shop({ routes: [route()] });
    let ordered = 0;
    const api = await gateway.withSandbox({
      submissions: { repeatable: false, mayArriveForMs: 60_000 },
      ask: async ({ attempt }) =>
        isKnown
          ? { outcome: 'known', answer: accepted, report: { attempt, status: 'open', legs: [] } }
          : { outcome: 'not_found' },
      submit: async () => {
        ordered += 1;
        return accepted;
      },
    });
    const { status, body } = await shop.on(api).payOut({});
    expect([status, body.status, ordered]).toEqual([200, 'pending', orders]);
  });

  it('stays pending, not ordered, while it is unknown if the provider has it', async () => {
    const shop = await gateway.shop({ routes: [route()] });
    let ordered = 0;
    const api = await gateway.withSandbox({
      submissions: { repeatable: false, mayArriveForMs: 60_000 },
      ask: async () => ({ outcome: 'unknown', cause: 'timeout' }),
      submit: async () => {
        ordered += 1;
        return accepted;
      },
    });
    const { body } = await shop.on(api).payOut({});
    expect([body.status, ordered]).toEqual(['pending', 0]);
    expect((await gateway.eventTypes(body.operation_id)).events.at(-1)).toBe('AttemptUnresolved');
  });

  it('is skipped while most answers to the question are unknown, and tried after a pause', async () => {
    let nowMs = 0;
    const policy = { windowMs: 1_000, minCalls: 2, openAt: 0.8, pauseMs: 500 };
    const breakers = createBreakers({ store: gateway.store, logger }, { policy, now: () => nowMs });
    const shop = await gateway.shop({ routes: [route()] });
    let answers = false;
    let asked = 0;
    const report = { attempt: 1, status: 'open', legs: [] } as const;
    const api = await gateway.withSandbox(
      {
        submissions: { repeatable: false, mayArriveForMs: 60_000 },
        ask: async () => {
          asked += 1;
          return answers
            ? { outcome: 'known', answer: accepted, report }
            : { outcome: 'unknown', cause: 'timeout' };
        },
      },
      { breakers },
    );
    const payOut = () => shop.on(api).payOut({});
    const payouts = { provider: 'sandbox', type: 'payout' } as const;
    for (let call = 0; call < 2; call += 1) await payOut();
    expect(breakers.isOpen(payouts)).toBe(true);
    await payOut();
    expect(asked).toBe(2);
    nowMs = 600;
    answers = true;
    await payOut();
    expect([asked, breakers.isOpen(payouts)]).toEqual([3, false]);
    await breakers.stop();
  });

  it('is not ordered when most of its time went into asking: the next route is tried', async () => {
    const acceptanceMs = 4_000;
    const next = `next-${newId()}`;
    const waits: number[] = [];
    const ordered: string[] = [];
    const submissions = { repeatable: false, mayArriveForMs: 60_000 } as const;
    const late: Partial<ProviderConnector> = {
      submissions,
      ask: async (_, { timeoutMs }) => {
        waits.push(timeoutMs);
        await delay(timeoutMs * 1.6);
        return { outcome: 'not_found' };
      },
    };
    const connectors = [
      { ...gateway.sandbox, ...late, name: 'sandbox' },
      {
        ...gateway.sandbox,
        name: next,
        submissions,
        ask: async () => ({ outcome: 'not_found' }) as const,
      },
    ].map((connector): [string, ProviderConnector] => [
      connector.name,
      {
        ...connector,
        submit: async () => {
          ordered.push(connector.name);
          return accepted;
        },
      },
    ]);
    const api = await gateway.secondInstance({ providers: new Map(connectors), acceptanceMs });
    const shop = await gateway.shop({ routes: [route(), route({ provider: next, priority: 2 })] });
    const { body } = await shop.on(api).payOut({});
    expect([body.status, ordered]).toEqual(['pending', [next]]);
    // Each of the two routes has half of the wait.
    expect(waits[0]).toBeLessThanOrEqual(acceptanceMs / 4);
    expect((await gateway.eventTypes(body.operation_id)).events).toContain('AttemptRefused');
  });
});
