import { describe, expect, it } from 'vitest';
import { newId } from '#shared/platform/ids.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();
type Shop = Awaited<ReturnType<typeof gateway.shop>>;

const path = '/v1/webhook-endpoints';
const url = 'https://shop.example/webhooks';

/** Sends a request to a path below `/v1/webhook-endpoints`, such as `GET /<id>`. */
async function send(of: Shop, request: string, body?: object) {
  const [method = 'GET', rest = ''] = request.split(' ');
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return of.fetch(`${path}${rest}`, { method, ...json });
}
const add = async (of: Shop, change: object = {}) => {
  const answer = await send(of, 'POST', { url, ...change });
  expect(answer.status).toBe(201);
  return answer.body;
};

describe('/v1/webhook-endpoints (R14.17)', () => {
  it('adds, lists, reads, changes and deletes endpoints; shows secrets once (R14.17)', async () => {
    const shop = await gateway.shop();
    const { secret, ...added } = await add(shop, {
      types: ['payment.completed'],
      description: 'Accounting',
    });
    expect(secret).toMatch(/^whsec_/);
    expect(added).toMatchObject({
      endpoint_id: expect.any(String),
      url,
      types: ['payment.completed'],
      description: 'Accounting',
      enabled: true,
      created_at: expect.any(String),
    });
    const one = `/${added.endpoint_id}`;
    expect((await send(shop, `GET ${one}`)).body).toEqual(added);
    expect((await send(shop, 'GET')).body).toEqual({ webhook_endpoints: [added] });
    const changed = await send(shop, `PATCH ${one}`, { enabled: false, types: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...added, enabled: false, disabled_reason: 'merchant', types: webhookTypes },
    });
    expect((await send(shop, `GET ${one}`)).body).toEqual(changed.body);
    const rotated = await send(shop, `POST ${one}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: changed.body });
    expect(rotated.body.secret).not.toBe(secret);
    expect(await send(shop, `DELETE ${one}`)).toMatchObject({ status: 204, text: '' });
    expect((await send(shop, `GET ${one}`)).status).toBe(404);
    expect((await send(shop, 'GET')).body).toEqual({ webhook_endpoints: [] });
  });

  it('subscribes an endpoint to all types by default', async () => {
    expect((await add(await gateway.shop())).types).toEqual(webhookTypes);
  });

  it('returns 404 for an endpoint of another shop or an unknown one (R14.17)', async () => {
    const [shop, other] = [await gateway.shop(), await gateway.shop()];
    const { endpoint_id: id } = await add(shop);
    for (const [of, each] of [
      [other, id],
      [shop, newId()],
      [shop, 'nonsense'],
    ] as const)
      for (const request of [
        `GET /${each}`,
        `PATCH /${each}`,
        `DELETE /${each}`,
        `POST /${each}/rotate-secret`,
      ]) {
        const answer = await send(of, request, request.startsWith('PATCH') ? {} : undefined);
        expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
    expect((await send(shop, `GET /${id}`)).body).toMatchObject({ enabled: true });
  });

  it('refuses to enable an endpoint whose URL has become forbidden (R14.14)', async () => {
    const shop = await gateway.shop();
    const { endpoint_id: id } = await add(shop, { url: 'http://127.0.0.1/webhooks' });
    const strict = shop.on(await gateway.secondInstance({ allowPrivate: false }));
    expect((await send(strict, `PATCH /${id}`, { enabled: true })).status).toBe(200);
    await send(shop, `PATCH /${id}`, { enabled: false });
    expect(await send(strict, `PATCH /${id}`, { enabled: true })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ code: 'field_invalid', pointer: '/url' }] },
    });
    expect(await send(strict, `PATCH /${id}`, { description: 'Accounting' })).toMatchObject({
      status: 200,
      body: { enabled: false },
    });
    expect(await send(strict, `PATCH /${id}`, { enabled: true, url })).toMatchObject({
      status: 200,
      body: { enabled: true, url },
    });
  });

  it.each<[object, string, string]>([
    [{}, 'field_required', '/url'],
    [{ url: 'ftp://shop.example/' }, 'field_invalid', '/url'],
    [{ url: 'https://user:secret@shop.example/' }, 'field_invalid', '/url'],
    [{ url: 5 }, 'field_invalid', '/url'],
    [{ url, types: ['payment.paid'] }, 'field_invalid', '/types/0'],
    [{ url, types: [] }, 'field_invalid', '/types'],
    [{ url, types: 'payment.completed' }, 'field_invalid', '/types'],
    [{ url, description: '' }, 'field_invalid', '/description'],
    [{ url, name: 'x' }, 'field_unknown', '/name'],
    [{ url, shop_id: 'x' }, 'scope_field_forbidden', '/shop_id'],
  ])('rejects %j', async (body, code, pointer) => {
    const shop = await gateway.shop();
    expect(await send(shop, 'POST', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ code, pointer }] },
    });
    const { endpoint_id: id } = await add(shop);
    const { url: sent = null, ...rest } = body as { url?: unknown };
    const change = code === 'field_required' ? { url: sent } : { url: sent, ...rest };
    expect(await send(shop, `PATCH /${id}`, change)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    });
  });
});
