import { listPayoutBatches, type PayoutBatchRow } from '#projections/shops/payout-batches.ts';
import { at, count, section, shortId, table } from '../../frame/components.ts';
import { common } from '#shared/application/pages/translations.ts';
import { needsSecondMember, type Shop } from '#shared/domain/shop/state.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { badge, formatAmount, type Html } from '#shared/platform/pages/index.ts';
import { viewOf, type Portal, type PortalContext } from '../env.ts';
import { authorName } from './second-member.ts';
import { payoutTexts as texts, statusNames } from './texts.ts';

const shown = 50;

/** The shop's newest files, with what each waits for (R24.8). */
export async function newestFiles(
  c: PortalContext,
  { db }: Pick<Portal, 'db'>,
  shop: Shop,
): Promise<Html> {
  const view = viewOf(c);
  const { t, language } = view;
  const { members } = c.get('session');
  const rows = await fromDatabase(listPayoutBatches(db, { shopId: shop.shopId, limit: shown }));
  const money = ({ total }: PayoutBatchRow) =>
    Object.entries(total).map(([currency, amount]) => formatAmount(language, amount, currency));
  const listed = table(view, {
    caption: t(texts.newest),
    columns: [
      texts.batch,
      common.status,
      texts.uploaded,
      texts.uploadedBy,
      { amount: texts.rows },
      { amount: texts.total },
    ],
    rows: rows.map((row) => {
      const status = shownStatus(row, shop);
      const uploader = { actor: row.uploaded_by, keyId: row.uploaded_key_id ?? undefined };
      return [
        shortId(row.batch_id, `/payouts/${row.batch_id}`),
        badge(statusNames[status].tone, t(statusNames[status])),
        at(view, row.uploaded_at),
        authorName(view, uploader, { members, shop }),
        count(view, row.rows),
        // The sum of the rows without an error would not be the total of the file.
        row.errors > 0 ? '—' : money(row).join(', '),
      ];
    }),
    empty: t(texts.none),
  });
  return section(t(texts.newest), listed);
}

/** The text for what a file waits for. */
export const shownStatus = (
  { status, errors }: Pick<PayoutBatchRow, 'status' | 'errors'>,
  shop: Shop,
): keyof typeof statusNames => {
  if (status !== 'checked') return status;
  if (errors > 0) return 'errors';
  return needsSecondMember(shop) ? 'second' : 'checked';
};
