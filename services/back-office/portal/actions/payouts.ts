import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { toAuthor } from '#shared/application/payout-batches/batches.ts';
import { readFileRows } from '#shared/application/payout-batches/file-rows.ts';
import { common } from '#shared/application/pages/translations.ts';
import { batchStatus, whyNoSecondMember } from '#shared/domain/payout-batch/decide.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { html } from '#shared/platform/pages/index.ts';
import { count, wholeId } from '../../frame/components.ts';
import { readLabel } from '../payouts/batch.ts';
import { costPairs, costWarnings, readCost } from '../payouts/cost.ts';
import { findBatch } from '../payouts/find.ts';
import { rowsSection } from '../payouts/rows.ts';
import { authorName } from '../payouts/second-member.ts';
import { payoutTexts as texts, rowTexts } from '../payouts/texts.ts';
import type { Act } from './action.ts';

export const confirmPayouts: Act = {
  path: '/payouts/:batch_id/confirm',
  discloses: ['payout_file_names', 'payout_rows', 'operation'],
  title: texts.confirm,
  explain: texts.explain,
  button: texts.confirm,
  done: texts.confirmed,
  back: ({ batch_id: id = '' }) => `/payouts/${id}`,
  prepare: async (portal, { params, query, view, session, origin }) => {
    const { t } = view;
    const { shopId } = session.shop;
    const runs = await fromStore(portal.runs.current());
    const batch = await findBatch(portal, shopId, params['batch_id']);
    if (batch.checked.errors.length > 0) throw new Problem('confirmation_not_expected');
    const { batch_id: batchId } = batch.checked;
    const details = async () => html`<p><a href="/payouts/${batchId}">${t(texts.toFile)}</a></p>`;
    if (batchStatus(batch, runs).status !== 'checked') return { nothing: texts.already, details };
    const shop = await readShop(portal.store, shopId);
    if (whyNoSecondMember(batch, { by: toAuthor(origin), shop }) !== undefined)
      throw new Problem('second_member_required');
    const rows = await readFileRows(portal, batch);
    if (!rows) return { nothing: rowTexts.gone, details };
    const cost = await readCost(portal, { batch, rows, shop });
    const uploader = authorName(view, batch.uploadedBy, { shop, members: session.members });
    const reader = { memberId: session.member.memberId, shopId };
    const label = await readLabel(portal, batch, reader);
    const shown = { batchId, rows, used: cost.used, reader, cursor: query['cursor'] };
    return {
      about: [
        [t(common.file), label?.name],
        [t(texts.hash), label && wholeId(view, label.sha256, t(texts.hash))],
        [t(texts.uploadedBy), uploader],
        [t(texts.rows), count(view, batch.checked.rows)],
        ...costPairs(view, cost),
      ],
      warnings: costWarnings(view, cost),
      details: () => rowsSection(portal, view, shown),
    };
  },
  run: async (portal, { params, session, origin }) => {
    const { shopId } = session.shop;
    const batchId = readPathId(params['batch_id']);
    const shop = await readShop(portal.store, shopId);
    await portal.payoutFiles.confirm({ batchId, shop, origin });
  },
};
