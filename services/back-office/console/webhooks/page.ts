import { sql } from 'kysely';
import { html } from '#shared/platform/pages/index.ts';
import { at, count, heading, shortId, renderTable, timesIn } from '../../frame/components.ts';
import { consoleView, type Console, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

const texts = {
  about: {
    ru: 'Магазины, у которых есть вебхуки в очереди или не доставленные; все доставки — на странице магазина.',
    en: 'Shops with pending or exhausted webhooks; the page of a shop lists all of its deliveries.',
  },
  pending: { ru: 'В очереди', en: 'Pending' },
  exhausted: { ru: 'Не доставлено', en: 'Exhausted' },
  oldest: { ru: 'Самый старый', en: 'Oldest' },
  empty: {
    ru: 'Все вебхуки доставлены. Доставки отдельного магазина открываются с его страницы.',
    en: 'Every webhook is delivered. The page of a shop links to its deliveries.',
  },
  shops: { ru: 'Открыть магазины', en: 'Show the shops' },
} as const satisfies Record<string, Words>;

type Row = {
  shop_id: string;
  name: string | null;
  pending: string;
  exhausted: string;
  oldest: Date;
};
const maxRows = 200;

/** Shops with pending or exhausted webhooks. */
export async function consoleWebhooksPage(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const rows = await readSnapshot(console.db, async (db) => {
    const { rows: shopRows } = await sql<Row>`
      select m.shop_id, max(s.name) as name, count(*) filter (where m.status = 'pending') as pending,
        count(*) filter (where m.status = 'exhausted') as exhausted, min(m.created_at) as oldest
      from webhooks.message m left join gateway.shops s using (shop_id)
      where m.status in ('pending', 'exhausted') group by 1 order by 4 desc, 3 desc, 1 limit ${maxRows}`.execute(
      db,
    );
    return shopRows;
  });
  const empty = html`<p>${t(rows === 'too_long' ? common.databaseTooSlow : texts.empty)}</p>
    <p><a href="/shops">${t(texts.shops)}</a></p>`;
  return {
    title: t(common.webhooks),
    body: html`${heading(t(common.webhooks), '', html`${t(texts.about)} ${timesIn(view)}`)}${renderTable(
      view,
      {
        caption: t(common.webhooks),
        columns: [
          common.shop,
          { amount: texts.pending },
          { amount: texts.exhausted },
          texts.oldest,
        ],
        rows: (rows === 'too_long' ? [] : rows).map((row) => {
          const to = (status: string, value: string) =>
            value === '0'
              ? '0'
              : html`<a href="/shops/${row.shop_id}/messages?status=${status}"
                  >${count(view, Number(value))}</a
                >`;
          return [
            html`<a href="/shops/${row.shop_id}/messages">${row.name ?? shortId(row.shop_id)}</a>`,
            to('pending', row.pending),
            to('exhausted', row.exhausted),
            at(view, row.oldest),
          ];
        }),
        empty,
      },
    )}`,
  };
}
