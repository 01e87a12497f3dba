import { currencies } from '#shared/domain/methods/index.ts';
import { heading, pager, pageSize, timesIn } from '../../frame/components.ts';
import { readEntries, readMerchantIds } from '#projections/ledger/read-entries.ts';
import { currencyTabs } from '../../frame/ledger-entries.ts';
import { common } from '#shared/application/pages/translations.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { html } from '#shared/platform/pages/index.ts';
import { shopIdOf, viewOf, type Portal, type PortalApp } from '../env.ts';
import { exportLink } from '../../frame/export-link.ts';
import { show } from '../frame.ts';
import { entriesTable } from './entries.ts';
import { statementForm } from './statement.ts';
import { balanceTexts as texts } from './texts.ts';

/** The movements of the shop's balance in one currency, newest first, from the log. */
export function registerJournal(app: PortalApp, portal: Portal): void {
  app.get('/balances/:currency', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const currency = currencies.find((known) => known === c.req.param('currency'));
    if (currency === undefined) throw new Problem('not_found');
    const ledger = { shopId: shopIdOf(c), currency };
    const page = { cursor: c.req.query('cursor'), limit: pageSize };
    const { events, nextCursor } = await readEntries(portal.store, ledger, page);
    const merchantIds = await readMerchantIds(portal.db, events);
    const title = `${t(common.ledgerEntries)}, ${currency}`;
    return show(c, portal, {
      title,
      section: 'balances',
      trail: [{ href: '/balances', text: t(common.balances) }],
      body: html`${heading(title, exportLink(view, 'journal', { currency }), timesIn(view))}
      ${currencyTabs(view, '/balances', currency)} ${statementForm(c, view, currency)}
      ${entriesTable(view, events, { empty: t(texts.empty), merchantIds })}
      ${pager(view, nextCursor)}`,
    });
  });
}
