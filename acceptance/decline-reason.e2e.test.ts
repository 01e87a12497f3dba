import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { pdf } from './support/files.ts';
import { admin, control, send, target } from './support/http.ts';
import { allRoutes, payoutRoute, route } from './support/routes.ts';
import { openShop, type Shop } from './support/shop.ts';
import { until } from './support/until.ts';

const refusedAt = async (shop: Shop, kind: 'pay' | 'payout' = 'pay', change: Json = {}) => {
  const answer = await shop[kind](change);
  expect(answer.status, answer.text).toBe(422);
  return answer.body.operation_id as string;
};
const made = async (shop: Shop, kind: 'pay' | 'payout' = 'pay') =>
  (await shop.made(shop[kind]())).operation_id as string;

const cases: [reason: string, make: () => Promise<{ shop: Shop; id: string }>][] = [
  [
    'no_route',
    async () => {
      const shop = await openShop({ routes: [], webhook: true });
      return { shop, id: await refusedAt(shop) };
    },
  ],
  [
    'provider_refused',
    async () => {
      const routes = [route({ options: { accept: 'decline' } })];
      const shop = await openShop({ routes, webhook: true });
      return { shop, id: await refusedAt(shop) };
    },
  ],
  [
    'provider_unavailable',
    async () => {
      const routes = [route({ options: { accept: 'error' } })];
      const shop = await openShop({ routes, webhook: true });
      return { shop, id: await refusedAt(shop) };
    },
  ],
  [
    'insufficient_funds',
    async () => {
      const settings = { overdraft_limits: { RUB: '0.00' } };
      const shop = await openShop({ routes: [payoutRoute()], webhook: true, settings });
      return { shop, id: await refusedAt(shop, 'payout') };
    },
  ],
  [
    'receipt_rejected',
    async () => {
      const routes = [route({ requires_receipt: true, options: { review: 'flagged' } })];
      const shop = await openShop({ routes, webhook: true });
      const id = await made(shop);
      await shop.made(shop.confirm(id, pdf()));
      await shop.waitFor(id, 'manual_check');
      const json = { decision: 'decline', note: 'no such transfer' };
      expect((await admin('POST', `/operations/${id}/review`, json)).status).toBe(200);
      return { shop, id };
    },
  ],
  [
    'provider_declined',
    async () => {
      const shop = await openShop({ routes: allRoutes, webhook: true });
      const id = await made(shop, 'payout');
      await control(id, 'settle', { result: 'declined' });
      return { shop, id };
    },
  ],
];

describe('decline_reason', () => {
  it.each(cases)('R5.15: is %s in the state, the list and the webhook', async (reason, make) => {
    const { shop, id } = await make();
    expect(await shop.waitFor(id, 'declined')).toMatchObject({ decline_reason: reason });
    expect(await shop.adminView(id)).toMatchObject({ decline_reason: reason });
    const declinedWebhook = () =>
      shop.deliveriesOf(id).find(({ type }) => type.endsWith('.declined'));
    const webhook = await until(`the webhook of ${id}`, declinedWebhook, {
      holds: (found) => found !== undefined,
    });
    expect(webhook?.operation).toMatchObject({ decline_reason: reason });
    const listed = async () =>
      (await shop.call('/v1/operations?status=declined')).body.operations as Json[];
    const list = await until(`${id} in the list`, listed, { holds: ({ length }) => length > 0 });
    expect(list).toMatchObject([{ operation_id: id, decline_reason: reason }]);
  });

  it('has a page for each value', async () => {
    for (const [reason] of cases) {
      const path = `/docs/decline-reasons/${reason.replaceAll('_', '-')}`;
      const page = await send(`${target.gateways[0]}${path}`, { method: 'GET' });
      expect(page.status, path).toBe(200);
      expect(page.text).toContain(reason);
    }
  });
});
