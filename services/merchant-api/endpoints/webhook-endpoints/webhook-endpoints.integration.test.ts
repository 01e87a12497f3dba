import { describe, expect, it } from 'vitest';
import { newId } from '#shared/platform/ids.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();
type Shop = Awaited<ReturnType<typeof gateway.shop>>;

const path = '/v1/webhook-endpoints';
const url = 'https://shop.example/webhooks';

/** A request to `/v1/webhook-endpoints` and what is behind it. */
async function ask(of: Shop, request: string, body?: object) {
  const [method = 'GET', rest = ''] = request.split(' ');
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return of.fetch(`${path}${rest}`, { method, ...json });
}
const add = async (of: Shop, change: object = {}) => {
  const answer = await ask(of, 'POST', { url, ...change });
  expect(answer.status).toBe(201);
  return answer.body;
};

describe('the endpoints of a shop (R14.17)', () => {
  it('are added, listed, read, changed and deleted, and their secret is shown once (R14.17)', async () => {
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
    expect((await ask(shop, `GET ${one}`)).body).toEqual(added);
    expect((await ask(shop, 'GET')).body).toEqual({ webhook_endpoints: [added] });
    const changed = await ask(shop, `PATCH ${one}`, { enabled: false, types: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...added, enabled: false, disabled_reason: 'merchant', types: webhookTypes },
    });
    expect((await ask(shop, `GET ${one}`)).body).toEqual(changed.body);
    const rotated = await ask(shop, `POST ${one}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: changed.body });
    expect(rotated.body.secret).not.toBe(secret);
    expect(await ask(shop, `DELETE ${one}`)).toMatchObject({ status: 204, text: '' });
    expect((await ask(shop, `GET ${one}`)).status).toBe(404);
    expect((await ask(shop, 'GET')).body).toEqual({ webhook_endpoints: [] });
  });

  it('take all types unless they name some', async () => {
    expect((await add(await gateway.shop())).types).toEqual(webhookTypes);
  });

  it('are at most ten', async () => {
    const shop = await gateway.shop();
    await Promise.all(Array.from({ length: 10 }, () => add(shop)));
    const answer = await ask(shop, 'POST', { url });
    expect(answer).toMatchObject({ status: 409, body: { code: 'too_many_endpoints' } });
  });

  it('are not found by another shop, or where they never were (R14.17)', async () => {
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
        const answer = await ask(of, request, request.startsWith('PATCH') ? {} : undefined);
        expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
    expect((await ask(shop, `GET /${id}`)).body).toMatchObject({ enabled: true });
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
  ])('are not made of %j', async (body, code, pointer) => {
    const shop = await gateway.shop();
    expect(await ask(shop, 'POST', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ code, pointer }] },
    });
    const { endpoint_id: id } = await add(shop);
    const { url: sent = null, ...rest } = body as { url?: unknown };
    const change = code === 'field_required' ? { url: sent } : { url: sent, ...rest };
    expect(await ask(shop, `PATCH /${id}`, change)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    });
  });
});
