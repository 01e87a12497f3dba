import { describe, expect, it } from 'vitest';
import type { Answer, Json } from './support/answer.ts';
import { control } from './support/http.ts';
import { payoutRoute, route } from './support/routes.ts';
import { openTestShop, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const cases: [reason: string, kind: 'payment' | 'payout', options: Json, status: number][] = [
  ['provider_refused', 'payment', { accept: 'decline' }, 422],
  ['provider_refused', 'payout', { accept: 'decline' }, 422],
  ['provider_declined', 'payout', {}, 200],
];

describe('decline_reason', () => {
  it.each(cases)(
    'R4.7, R5.15: is %s for a %s in the state, the list and the webhook',
    async (reason, kind, options, status) => {
      const routes = [route({ options }), payoutRoute({ options })];
      const shop: TestShop = await openTestShop({ routes, webhook: true });
      const answer: Answer = await shop.create(kind, shop.body(kind));
      expect(answer.status, answer.text).toBe(status);
      const id = answer.body.operation_id as string;
      if (status === 200) await control(id, 'settle', { result: 'declined' });
      expect(await shop.waitFor(id, 'declined')).toMatchObject({ decline_reason: reason });
      expect(await shop.adminView(id)).toMatchObject({ decline_reason: reason });
      expect(await shop.delivered(id)).toMatchObject({
        type: `${kind}.declined`,
        operation: { decline_reason: reason },
      });
      const listed = async () =>
        (await shop.call('/v1/operations?status=declined')).body.operations as Json[];
      const list = await until(`${id} in the list`, listed, { holds: ({ length }) => length > 0 });
      expect(list).toMatchObject([{ operation_id: id, decline_reason: reason }]);
    },
  );
});
