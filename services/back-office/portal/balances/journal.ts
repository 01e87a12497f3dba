import { currencies } from '#shared/domain/currencies.ts';
import { heading, pager, pageSize, timesIn } from '../../frame/components.ts';
import { readEntries, readMerchantIds } from '#projections/ledger/read-entries.ts';
import { currencyTabs } from '../../frame/ledger-entries.ts';
import { common } from '#shared/application/pages/translations.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { html } from '#shared/platform/pages/index.ts';
import { sessionShopId, portalView, type Portal, type PortalContext } from '../env.ts';
import { exportLink } from '../../frame/export-link.ts';
import type { PageContent } from '../../frame/pages.ts';
import { renderMerchantEntries } from './entries.ts';
import { statementTexts } from './statement-texts.ts';
import { balanceTexts as texts } from './texts.ts';

/** The movements of the shop's balance in one currency, newest first, from the log. */
export async function journalPage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const view = portalView(c);
  const { t } = view;
  const currency = currencies.find((known) => known === c.req.param('currency'));
  if (currency === undefined) throw new Problem('not_found');
  const ledger = { shopId: sessionShopId(c), currency };
  const page = { cursor: c.req.query('cursor'), limit: pageSize };
  const { events, nextCursor } = await readEntries(portal.store, ledger, page);
  const merchantIds = await readMerchantIds(portal.db, events);
  const title = `${t(common.ledgerEntries)}, ${currency}`;
  return {
    title,
    body: html`${heading(title, html`<a class="button small" href="/statement?currency=${currency}">${t(statementTexts.title)}</a>${exportLink(view, 'journal', { currency })}`, timesIn(view))}
    ${currencyTabs(view, '/balances', currency)}
    ${renderMerchantEntries(view, events, { empty: t(texts.empty), merchantIds })}
    ${pager(view, nextCursor)}`,
  };
}
