import type { Hono } from 'hono';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { count, heading, pairs, table } from '#shared/application/pages/components.ts';
import { watched } from '#shared/application/pages/watched.ts';
import { common } from '#shared/application/pages/words.ts';
import { resultFile } from '#shared/application/payout-batches/result-file.ts';
import { statusOf, type CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { shopIdOf, viewOf, type Portal, type PortalEnv, type View } from '../env.ts';
import { show } from '../frame.ts';
import { explainCell } from './faults.ts';
import { findBatch } from './find.ts';
import { confirmationOf, uploaderName } from './second-member.ts';
import { payoutTexts as texts, statusNames } from './texts.ts';

const errorsShown = 100;

/** A batch: its total beside the balance, its errors, and how far it is (R24.5). */
export function registerBatch(app: Hono<PortalEnv>, portal: Portal): void {
  app.get('/payouts/:batch_id', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    // First: a batch that ends in between is done then.
    const runs = await fromStore(portal.runs.now());
    const batch = await findBatch(portal, shopIdOf(c), c.req.param('batch_id'));
    const shop = await readShop(portal.store, shopIdOf(c));
    const { status: running, ...figures } = statusOf(batch, runs);
    // The sum of the rows without an error is no total of the file.
    const isSound = batch.checked.errors.length === 0;
    const status = isSound ? running : 'errors';
    const { may, about: confirmation } =
      status === 'checked' ? confirmationOf(c, { batch, shop }) : { may: false, about: '' };
    const path = `/payouts/${batch.checked.batch_id}`;
    const money = isSound ? await moneyOf(portal, view, { batch, shopId: shopIdOf(c) }) : '';
    const about = pairs([
      [t(common.status), t(statusNames[status])],
      [
        t(texts.uploadedBy),
        uploaderName(view, {
          uploadedBy: batch.uploadedBy,
          members: c.get('session').members,
          shop,
        }),
      ],
      [t(texts.rows), count(view, batch.checked.rows)],
      [t(texts.created), count(view, figures.created)],
      [t(texts.failed), count(view, figures.failed)],
    ]);
    return show(c, portal, {
      title: t(texts.batch),
      section: 'payouts',
      trail: [{ href: '/payouts', text: t(texts.title) }],
      body: html`${heading(t(texts.batch), buttons(view, { path, status, may }))}${confirmation}${watched(
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

type Shown = { path: string; status: keyof typeof statusNames; may: boolean };

function buttons({ t }: View, { path, status, may }: Shown): Html | string {
  if (status === 'running' || status === 'done')
    return html`<a class="button small" href="${path}/result.csv">${t(texts.result)}</a>`;
  return may
    ? html`<a class="button small primary" href="${path}/confirm">${t(texts.confirm)}</a>`
    : '';
}

/** The total by currency, beside the balance as it is now. */
export async function moneyOf(
  { ledgers }: Pick<Portal, 'ledgers'>,
  { t, language }: View,
  { batch, shopId }: { batch: CheckedBatch; shopId: string },
): Promise<Html> {
  const rows = await Promise.all(
    Object.entries(batch.checked.total).map(async ([currency, total]) => {
      const position = await fromStore(ledgers.position(shopId, currency));
      const balance =
        position.outcome === 'inconsistent'
          ? '—'
          : formatAmount(language, position.balance, currency);
      return [formatAmount(language, total, currency), balance];
    }),
  );
  return table({
    caption: t(texts.total),
    columns: [
      { name: t(texts.total), amount: true },
      { name: t(texts.balance), amount: true },
    ],
    rows,
    empty: '—',
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
  ${table({
    caption: t(texts.errors),
    columns: [{ name: t(texts.row) }, { name: t(texts.field) }, { name: t(texts.wrong) }],
    rows,
    empty: '',
  })}`;
}
