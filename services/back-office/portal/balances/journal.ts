import type { Hono } from 'hono';
import { findMerchantOperationIds } from '#projections/operations/find-existing.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { currencies } from '#shared/domain/methods/index.ts';
import { heading, pager, timesIn } from '../../frame/components.ts';
import { operationIdsOf } from '../../frame/ledger-entries.ts';
import { common } from '#shared/application/pages/translations.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { invalidCursor } from '#shared/platform/http/cursor.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { html } from '#shared/platform/pages/index.ts';
import { shopIdOf, viewOf, type Portal, type PortalEnv } from '../env.ts';
import { exportLink } from '../../frame/export-link.ts';
import { show } from '../frame.ts';
import { entriesTable } from './entries.ts';
import { statementForm } from './statement.ts';
import { balanceTexts as texts } from './texts.ts';

const pageSize = 50;

/** What moved the shop's balance in one currency, the newest first, from the log itself. */
export function registerJournal(app: Hono<PortalEnv>, portal: Portal): void {
  app.get('/balances/:currency', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const currency = currencies.find((known) => known === c.req.param('currency'));
    if (currency === undefined) throw new Problem('not_found');
    const cursor = c.req.query('cursor');
    if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw invalidCursor();
    const events = await fromStore(
      portal.store.read(ledgerStream(shopIdOf(c), currency), {
        direction: 'backwards',
        maxCount: pageSize,
        ...(cursor !== undefined && { fromRevision: Number(cursor) }),
      }),
    );
    const merchantIds = await fromDatabase(
      findMerchantOperationIds(portal.db, operationIdsOf(events)),
    );
    const oldest = events.at(-1)?.revision ?? 0;
    const title = `${t(common.ledgerEntries)}, ${currency}`;
    const tabs = html`<nav class="tabs" aria-label="${t(common.currency)}">
      ${currencies.map(
        (each) =>
          html`<a href="/balances/${each}" ${each === currency ? html` aria-current="page"` : ''}
            >${each}</a
          >`,
      )}
    </nav>`;
    return show(c, portal, {
      title,
      section: 'balances',
      trail: [{ href: '/balances', text: t(common.balances) }],
      body: html`${heading(title, exportLink(view, 'journal', { currency }), timesIn(view))} ${tabs}
      ${statementForm(c, view, currency)}
      ${entriesTable(view, events, { empty: t(texts.empty), merchantIds })}
      ${pager(view, oldest > 0 ? String(oldest - 1) : null)}`,
    });
  });
}
