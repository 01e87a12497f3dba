import { confirmPayoutBatch } from '#shared/application/payout-batches/batches.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { count } from '#shared/application/pages/components.ts';
import { moneyOf } from '../payouts/batch.ts';
import { findBatch } from '../payouts/find.ts';
import { payoutTexts as texts } from '../payouts/texts.ts';
import type { Act } from './act.ts';

export const confirmPayouts: Act = {
  path: '/payouts/:batch_id/confirm',
  section: 'payouts',
  title: texts.confirm,
  explain: texts.explain,
  button: texts.confirm,
  done: texts.confirmed,
  back: ({ batch_id: id = '' }) => `/payouts/${id}`,
  prepare: async (portal, { params, view, session: { shop } }) => {
    const batch = await findBatch(portal, shop.shopId, params['batch_id']);
    if (batch.checked.errors.length > 0) throw new Problem('confirmation_not_expected');
    return {
      about: [
        [view.t(texts.rows), count(view, batch.checked.rows)],
        [view.t(texts.total), await moneyOf(portal, view, { batch, shopId: shop.shopId })],
      ],
    };
  },
  run: async (portal, { params, session: { shop }, origin }) => {
    const batch = await findBatch(portal, shop.shopId, params['batch_id']);
    await fromStore(confirmPayoutBatch(portal, { batch, origin }));
  },
};
