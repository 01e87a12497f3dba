import { describe, expect, it } from 'vitest';
import { admin, control, sendRequest, target } from './support/http.ts';
import { errorsOf, expectStatus } from './support/problem.ts';
import { payoutRoute, route } from './support/routes.ts';
import { openTestShop } from './support/shop.ts';
import { until } from './support/until.ts';

describe('R16.6 shops', () => {
  it('apply a change of the hosted page to later creates (R16.6)', async () => {
    const shop = await openTestShop();
    expect((await shop.made(shop.link())).payment_url).toEqual(expect.any(String));
    await expectStatus(admin('PATCH', `/shops/${shop.shopId}`, { hosted_page: false }), 200);
    await until('the hosted page is disabled', async () => shop.link(), {
      holds: ({ body }) => body.payment_url === null,
    });
  });
});

describe('R1.6 API keys', () => {
  it('share operations and idempotency; open operations outlive a revocation (R1.6)', async () => {
    const shop = await openTestShop({ webhook: true });
    const body = shop.body('payment');
    const created = await shop.made(shop.create('payment', body));
    const key = await expectStatus(
      admin('POST', `/shops/${shop.shopId}/api-keys`, { label: 'new' }),
      201,
    );
    const headers = { 'x-api-key': key.api_key };
    const repeat = await sendRequest(`${target.gateways[1]}/v1/payment`, { json: body, headers });
    expect(repeat).toMatchObject({ status: 200, body: created });
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    // Revoked keys do not affect operations in progress.
    const { api_keys: keys } = await expectStatus(
      admin('GET', `/shops/${shop.shopId}/api-keys`),
      200,
    );
    for (const { key_id } of keys) await expectStatus(admin('DELETE', `/api-keys/${key_id}`), 204);
    expect((await shop.call('/v1/balances')).status).toBe(401);
    await control(created.operation_id, 'settle', { result: 'completed' });
    expect(await shop.delivered(created.operation_id)).toMatchObject({ type: 'payment.completed' });
  });
});

describe('R16.6 routes', () => {
  it('are replaced as a whole by PUT, which returns them (R16.6)', async () => {
    const shop = await openTestShop();
    const routes = [
      route({ requires_receipt: false }),
      payoutRoute({ min_amount: '1.00', max_amount: '2.00' }),
    ];
    const answer = await expectStatus(
      admin('PUT', `/shops/${shop.shopId}/routes`, { routes }),
      200,
    );
    expect(Object.keys(answer)).toEqual(['routes']);
    expect(answer.routes).toMatchObject(routes);
    shop.routes = routes;
    await until('the phone route is removed', async () => shop.pay({ method: 'WT_RUB_PHONE' }), {
      holds: ({ status }) => status === 422,
    });
    expect((await shop.pay()).status).toBe(200);
  });

  it('are validated', async () => {
    const { shopId, routes } = await openTestShop();
    for (const [change, pointer] of [
      [{ type: 'refund' }, '/routes/0/type'],
      [{ commission: { percent: 'much' } }, '/routes/0/commission/percent'],
      [{ commission: { percent: '-1.00' } }, '/routes/0/commission/percent'],
      [{ commission: { percent: '1.00', fixed: '-1.00' } }, '/routes/0/commission/fixed'],
      [{ priority: 'first' }, '/routes/0/priority'],
    ] as [object, string][]) {
      const errors = await errorsOf(
        admin('PUT', `/shops/${shopId}/routes`, { routes: [{ ...routes[0], ...change }] }),
      );
      expect(errors.map((error) => error.split(' ')[0])).toEqual([pointer]);
    }
  });

  it('do not change for an open operation (R7.10)', async () => {
    const shop = await openTestShop({ webhook: true });
    const { operation_id: id } = await shop.made(shop.pay());
    const newRoutes = [route({ commission: { percent: '50.00' } })];
    await expectStatus(admin('PUT', `/shops/${shop.shopId}/routes`, { routes: newRoutes }), 200);
    await control(id, 'settle', { result: 'completed' });
    await shop.delivered(id);
    expect(await shop.state(id)).toMatchObject({ commission_amount: '2.50' });
  });
});

describe('R16.10 operations for operators', () => {
  it('show each attempt with its provider (R16.10)', async () => {
    const routes = [route({ options: { accept: 'decline' } }), route({ priority: 2 })];
    const shop = await openTestShop({ routes });
    const { operation_id: id } = await shop.made(shop.pay());
    const view = await shop.adminView(id);
    shop.expectOperation(view, 'admin');
    const text = JSON.stringify(view);
    expect(text.match(/"provider":"sandbox"/g)).toHaveLength(2);
  });

  it('show a card or phone number only in part, in views, events and lists (R16.5)', async () => {
    const shop = await openTestShop();
    const card = { number: '5555666677778884' };
    const phone = { method: 'WT_RUB_PHONE', number: '+79451234567', bankname: 'tbank' };
    const payment = await shop.made(shop.pay());
    const ids = [payment.operation_id];
    for (const [destination, masked] of [
      [card, '555566******8884'],
      [phone, '********4567'],
    ] as const) {
      const { operation_id: id } = await shop.made(shop.payout(destination));
      ids.push(id);
      for (const shown of [await shop.adminView(id), await shop.events(id)])
        expect(JSON.stringify(shown)).toContain(`"${masked}"`);
    }
    const path = `/operations?shop_id=${shop.shopId}`;
    const list = await until('all of them', async () => admin('GET', path), {
      holds: ({ body }) => body.operations.length === ids.length,
    });
    const shown: unknown[] = [list.body];
    for (const id of ids) shown.push(await shop.adminView(id), await shop.events(id));
    for (const text of shown.map((value) => JSON.stringify(value)))
      for (const { number } of [card, phone, payment]) expect(text).not.toContain(number);
  });
});

describe('projections and metrics', () => {
  it('GET /projections returns position, lag and status of each read model (R16.13)', async () => {
    const { projections } = await expectStatus(admin('GET', '/projections'), 200);
    expect(projections.length).toBeGreaterThan(0);
    for (const projection of projections) {
      const fields = ['lag_events', 'lag_ms', 'name', 'position', 'status'];
      expect(Object.keys(projection).toSorted()).toEqual(expect.arrayContaining(fields));
    }
  });

  it('GET /metrics returns Prometheus text (R16.13)', async () => {
    const answer = await sendRequest(`${target.admin}/metrics`, {
      method: 'GET',
      headers: { authorization: `Bearer ${target.adminToken}` },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(answer.text).toMatch(/^# TYPE \S+ (counter|gauge|histogram)/m);
  });
});
