import { describe, expect, it } from 'vitest';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /v1/payment', () => {
  it('returns a pending payment with requisites and expected amounts (R5.1, R5.11)', async () => {
    const shop = await gateway.shop();
    const { status, body, headers } = await shop.pay({ amount: '150.00' });
    expect(status).toBe(200);
    expect(body).toEqual({
      operation_id: expect.stringMatching(uuid),
      type: 'payment',
      status: 'pending',
      method: 'WT_RUB_C2C',
      expected_amount: '150.00',
      actual_amount: '0.00',
      currency: 'RUB',
      settlement_amount: '146.25',
      settlement_currency: 'RUB',
      commission_amount: '3.75',
      number: expect.stringMatching(/^\d{16}$/),
      name: expect.any(String),
    });
    expect(headers.get('x-request-id')).toMatch(/./);
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('records admission, attempt and acceptance in two appends, under one correlation id and the key', async () => {
    const shop = await gateway.shop();
    const appended: string[] = [];
    const append: typeof gateway.store.append = (request) => {
      if (request.stream.startsWith('operation-'))
        appended.push(request.events.map(({ type }) => type).join());
      return gateway.store.append(request);
    };
    const api = await gateway.secondInstance({ store: { ...gateway.store, append } });
    const { body } = await shop.on(api).pay({});
    expect(appended).toEqual(['OperationAdmitted,AttemptStarted', 'AttemptAccepted']);
    const events = await gateway.store.read(`operation-${body.operation_id}`);
    expect(events.map(({ type }) => type)).toEqual([
      'OperationAdmitted',
      'AttemptStarted',
      'AttemptAccepted',
    ]);
    expect(new Set(events.map(({ metadata }) => metadata.correlation_id)).size).toBe(1);
    expect(events[0]?.data).toMatchObject({ endpoint: '/v1/payment', api_version: 'v1' });
    expect(events.map(({ metadata: { actor, key_id } }) => ({ actor, key_id }))).toEqual(
      events.map(() => ({ actor: `merchant:${shop.shopId}`, key_id: shop.keyId })),
    );
  });
});

describe('routing of a create', () => {
  const refused = { options: { accept: 'decline' } };
  it.each([
    ['a payment without a route', 'payment', []],
    ['a payment that no provider accepts', 'payment', [refused]],
    ['a payout that no provider accepts', 'payout', [{ type: 'payout', ...refused }]],
  ] as const)('declines %s, and repeats the rejection (R4.6, R4.7)', async (_, type, routes) => {
    const shop = await gateway.shop({ routes: [...routes] });
    const request = gateway[type]();
    const { merchant_operation_id } = request;
    const first = await shop.post(`/v1/${type}`, request);
    const { operation_id, code, detail } = first.body;
    expect(first).toMatchObject({
      status: 422,
      body: {
        code: 'provider_not_accepted',
        operation_id: expect.stringMatching(uuid),
        retryable: false,
      },
    });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (const at of [shop, shop.on(await gateway.secondInstance())]) {
      const again = await at.post(`/v1/${type}`, request);
      expect(again).toMatchObject({ status: 422, body: { operation_id, code, detail } });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await shop.post(`/v1/${type}`, { ...request, amount: '1.00' })).toMatchObject({
      status: 412,
      body: { code: 'idempotency_body_mismatch' },
    });
    const { submissions = [] } = await gateway.provider.seen(operation_id);
    expect(submissions).toHaveLength(routes.length);
    for (const by of [{ operation_id }, { merchant_operation_id }])
      expect(await shop.state(by)).toMatchObject({
        status: 200,
        body: {
          operation_id,
          status: 'declined',
          expected_amount: '100.00',
          actual_amount: '0.00',
          settlement_amount: '0.00',
          commission_amount: '0.00',
          receipt_evidence_status: 'complete',
          receipts: [],
        },
      });
  });

  it('reports whether every provider refused or the wait ran out', async () => {
    const refusing = await gateway.shop({ routes: [{ options: { accept: 'decline' } }] });
    expect((await refusing.pay({})).body.detail).toMatch(/refused/);
    const hanging = await gateway.shop({ routes: [{ options: { accept: 'hang' } }] });
    expect((await hanging.on(gateway.impatient()).pay({})).body.detail).toMatch(/wait/);
  });
});
