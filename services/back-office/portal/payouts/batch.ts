import { readShop } from '#shared/application/directory/command-shop.ts';
import { findPayoutBatch } from '#projections/shops/payout-batches.ts';
import { at, count, heading, pairs, table, timesIn, type Pair } from '../../frame/components.ts';
import { watched } from '../../frame/polled-section.ts';
import { common } from '#shared/application/pages/translations.ts';
import { resultFile } from '#shared/application/payout-batches/result-file.ts';
import { statusOf, type Author, type CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import {
  shopIdOf,
  viewOf,
  type Portal,
  type View,
  type PortalApp,
  type PortalContext,
} from '../env.ts';
import { show } from '../frame.ts';
import { explainCell } from './faults.ts';
import { findBatch } from './find.ts';
import { shownStatus } from './list.ts';
import { authorName, confirmationOf } from './second-member.ts';
import { payoutTexts as texts, statusNames } from './texts.ts';

const errorsShown = 100;

/** A batch: its total and the balance, its errors, and how far it is (R24.5). */
export function registerBatch(app: PortalApp, portal: Portal): void {
  app.get('/payouts/:batch_id', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    // First: a batch that ends in between is done then.
    const runs = await fromStore(portal.runs.current());
    const batch = await findBatch(portal, shopIdOf(c), c.req.param('batch_id'));
    const shop = await readShop(portal.store, shopIdOf(c));
    const figures = statusOf(batch, runs);
    const errors = batch.checked.errors.length;
    const status = shownStatus({ ...figures, errors }, shop);
    const waits = status === 'checked' || status === 'second';
    const { may, about: confirmation } = waits
      ? confirmationOf(c, { batch, shop })
      : { may: false, about: '' };
    const path = `/payouts/${batch.checked.batch_id}`;
    // The sum of the rows without an error would not be the total of the file.
    const money = errors === 0 ? await moneyOf(portal, view, { batch, shopId: shopIdOf(c) }) : '';
    const about = pairs([
      [t(common.status), t(statusNames[status])],
      ...(await peopleOf(c, portal, { batch, shop })),
      [t(texts.rows), count(view, batch.checked.rows)],
      [t(texts.created), count(view, figures.created)],
      [t(texts.failed), count(view, figures.failed)],
    ]);
    return show(c, portal, {
      title: t(texts.batch),
      section: 'payouts',
      trail: [{ href: '/payouts', text: t(texts.title) }],
      body: html`${heading(t(texts.batch), buttons(view, { path, status, may }), timesIn(view))}${confirmation}${watched(
        view,
        {
          state: t(statusNames[status]),
          pending: status === 'running' ? texts.running : undefined,
          content: html`${about}${money}${errorsOf(view, batch)}`,
        },
      )}`,
    });
  });

  app.get('/payouts/:batch_id/result.csv', async (c) => {
    const batch = await findBatch(portal, shopIdOf(c), c.req.param('batch_id'));
    return c.body(resultFile(batch), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="payouts-result.csv"',
      'cache-control': 'no-store',
    });
  });
}

/** Who uploaded and who confirmed it; the times and the latter may be a moment behind. */
async function peopleOf(
  c: PortalContext,
  { db }: Pick<Portal, 'db'>,
  { batch, shop }: { batch: CheckedBatch; shop: Shop },
): Promise<Pair[]> {
  const view = viewOf(c);
  const { t } = view;
  const about = { shopId: shop.shopId, batchId: batch.checked.batch_id };
  const row = await fromDatabase(findPayoutBatch(db, about));
  const named = (author: Author, time: Date | null | undefined) => {
    const name = authorName(view, author, { members: c.get('session').members, shop });
    return time ? html`${name}, ${at(view, time)}` : name;
  };
  const { confirmed_by: actor, confirmed_at: time } = row ?? {};
  const uploaded = named(batch.uploadedBy, row?.uploaded_at);
  return [
    [t(texts.uploadedBy), uploaded],
    [t(texts.confirmedBy), actor && named({ actor }, time)],
  ];
}

type Shown = { path: string; status: keyof typeof statusNames; may: boolean };

function buttons({ t }: View, { path, status, may }: Shown): Html | string {
  if (status === 'running' || status === 'done')
    return html`<a class="button small" href="${path}/result.csv">${t(texts.result)}</a>`;
  return may
    ? html`<a class="button small primary" href="${path}/confirm">${t(texts.confirm)}</a>`
    : '';
}

/** The total and the current balance by currency. */
export async function moneyOf(
  { ledgers }: Pick<Portal, 'ledgers'>,
  view: View,
  { batch, shopId }: { batch: CheckedBatch; shopId: string },
): Promise<Html> {
  const { t, language } = view;
  const rows = await Promise.all(
    Object.entries(batch.checked.total).map(async ([currency, total]) => {
      const position = await fromStore(ledgers.position(shopId, currency));
      const balance =
        position.outcome === 'inconsistent'
          ? '—'
          : formatAmount(language, position.balance, currency);
      return [currency, formatAmount(language, total, currency), balance];
    }),
  );
  return table(view, {
    caption: t(texts.total),
    columns: [common.currency, { amount: texts.total }, { amount: common.balance }],
    rows,
  });
}

function errorsOf(view: View, { checked: { errors } }: CheckedBatch): Html | string {
  if (errors.length === 0) return '';
  const { t } = view;
  const rows = errors
    .slice(0, errorsShown)
    .map(({ row, pointer, code }) => [
      count(view, row),
      html`<code class="plain">${pointer === '' ? '—' : pointer.slice(1)}</code>`,
      explainCell(view, { pointer, code }),
    ]);
  return html`${notice('danger', html`<p><strong>${t(texts.errors)}</strong>: ${t(texts.mend)}</p>`)}
  ${table(view, {
    caption: t(texts.errors),
    columns: [texts.row, texts.field, texts.wrong],
    rows,
  })}`;
}
