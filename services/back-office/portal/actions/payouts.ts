import { pathId, readShop } from '#shared/application/directory/command-shop.ts';
import { authorOf } from '#shared/application/payout-batches/batches.ts';
import { whyNoSecondMember } from '#shared/domain/payout-batch/decide.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { count } from '../../frame/components.ts';
import { moneyOf } from '../payouts/batch.ts';
import { findBatch } from '../payouts/find.ts';
import { authorName } from '../payouts/second-member.ts';
import { payoutTexts as texts } from '../payouts/texts.ts';
import type { Act } from './action.ts';

export const confirmPayouts: Act = {
  path: '/payouts/:batch_id/confirm',
  section: 'payouts',
  title: texts.confirm,
  explain: texts.explain,
  button: texts.confirm,
  done: texts.confirmed,
  back: ({ batch_id: id = '' }) => `/payouts/${id}`,
  prepare: async (portal, { params, view, session, origin }) => {
    const { shopId } = session.shop;
    const batch = await findBatch(portal, shopId, params['batch_id']);
    if (batch.checked.errors.length > 0) throw new Problem('confirmation_not_expected');
    const shop = await readShop(portal.store, shopId);
    if (whyNoSecondMember(batch, { by: authorOf(origin), shop }) !== undefined)
      throw new Problem('second_member_required');
    const uploader = authorName(view, batch.uploadedBy, { shop, members: session.members });
    return {
      about: [
        [view.t(texts.uploadedBy), uploader],
        [view.t(texts.rows), count(view, batch.checked.rows)],
        [view.t(texts.total), await moneyOf(portal, view, { batch, shopId })],
      ],
    };
  },
  run: async (portal, { params, session, origin }) => {
    const { shopId } = session.shop;
    const batchId = pathId(params['batch_id']);
    const shop = await readShop(portal.store, shopId);
    await portal.payoutFiles.confirm({ batchId, shop, origin });
  },
};
