import { listPayoutBatches, type PayoutBatchRow } from '#projections/shops/payout-batches.ts';
import { openLabel } from '#shared/application/payout-batches/file-label.ts';
import { at, count, section, shortId, renderTable } from '../../frame/components.ts';
import { common } from '#shared/application/pages/translations.ts';
import { needsSecondMember, type Shop } from '#shared/domain/shop/state.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import {
  sessionReader,
  portalView,
  type Portal,
  type PortalContext,
  type PortalView,
} from '../env.ts';
import { authorName } from './second-member.ts';
import { payoutTexts as texts, batchStatusNames } from './texts.ts';

const shown = 50;

/** The shop's newest files, each with its name and what it waits for (R24.8). */
export async function newestFiles(
  c: PortalContext,
  { db, personal, accessLog }: Pick<Portal, 'db' | 'personal' | 'accessLog'>,
  shop: Shop,
): Promise<Html> {
  const view = portalView(c);
  const { t, language } = view;
  const { members } = c.get('session');
  const rows = await fromDatabase(listPayoutBatches(db, { shopId: shop.shopId, limit: shown }));
  const labels = await Promise.all(
    rows.map(({ batch_id: batchId, file }) =>
      fromStore(openLabel(personal, { batchId, sealed: file })),
    ),
  );
  const namedFiles = rows.flatMap(({ batch_id: id }, index) => (labels[index]?.name ? [id] : []));
  if (namedFiles.length > 0) accessLog.saw(sessionReader(c), { namedFiles });
  const money = ({ total }: PayoutBatchRow) =>
    Object.entries(total).map(([currency, amount]) => formatAmount(language, amount, currency));
  const listed = renderTable(view, {
    caption: t(texts.newest),
    columns: [
      texts.batch,
      common.status,
      texts.uploaded,
      texts.uploadedBy,
      { amount: texts.rows },
      { amount: texts.total },
    ],
    rows: rows.map((row, index) => {
      const status = shownStatus(row, shop);
      const uploader = { actor: row.uploaded_by, keyId: row.uploaded_key_id ?? undefined };
      return [
        fileLink(row, labels[index]?.name),
        html`${badge(batchStatusNames[status].tone, t(batchStatusNames[status]))}
        ${failedRows(view, row)}`,
        at(view, row.uploaded_at),
        authorName(view, uploader, { members, shop }),
        count(view, row.rows),
        // The sum of the rows without an error would not be the total of the file.
        row.errors > 0 ? '—' : money(row).join(', '),
      ];
    }),
    empty: t(texts.none),
  });
  const seePage =
    rows.length > 0 && html`<p class="muted small">${t(texts.seePage)} ${t(texts.names)}</p>`;
  return section(t(texts.newest), html`${seePage}${listed}`);
}

const fileLink = ({ batch_id: id }: PayoutBatchRow, name: string | undefined): Html =>
  name === undefined || name === ''
    ? shortId(id, `/payouts/${id}`)
    : html`<a class="clip" title="${name}" href="/payouts/${id}">${name}</a>`;

/** How many rows of a confirmed file no provider took; others may be declined since. */
const failedRows = (view: PortalView, { failed }: PayoutBatchRow): Html | string =>
  failed > 0
    ? html`<span class="muted small"
        >${view.t(texts.notPaid).replace('{n}', count(view, failed))}</span
      >`
    : '';

/** The text for what a file waits for. */
export const shownStatus = (
  { status, errors }: Pick<PayoutBatchRow, 'status' | 'errors'>,
  shop: Shop,
): keyof typeof batchStatusNames => {
  if (status !== 'checked') return status;
  if (errors > 0) return 'errors';
  return needsSecondMember(shop) ? 'second' : 'checked';
};
