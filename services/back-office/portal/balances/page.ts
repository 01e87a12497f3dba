import { currencies } from '#shared/domain/currencies.ts';
import { renderBalance, debtExplained, heading, renderTable } from '../../frame/components.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { common } from '#shared/application/pages/translations.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { formatAmount, html } from '#shared/platform/pages/index.ts';
import { sessionShopId, portalView, type Portal, type PortalContext } from '../env.ts';
import { exportLink } from '../../frame/export-link.ts';
import type { PageContent } from '../../frame/pages.ts';
import { balanceTexts as texts } from './texts.ts';

/** The shop's balance in each currency, by the newest entries: never stale. */
export async function portalBalancesPage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const view = portalView(c);
  const { t, language } = view;
  const shopId = sessionShopId(c);
  const { settings } = await readShop(portal.store, shopId);
  const limitIn = (currency: (typeof currencies)[number]) => {
    const limit = settings.overdraft_limits[currency];
    return limit === undefined ? t(common.unlimited) : formatAmount(language, limit, currency);
  };
  const positions = await Promise.all(
    currencies.map(async (currency) => ({
      currency,
      position: await fromStore(portal.ledgers.position(shopId, currency)),
    })),
  );
  const rows = positions.map(({ currency, position }) => {
    const money = (amount: string) => formatAmount(language, amount, currency);
    const journal = html`<a href="/balances/${currency}">${currency}</a>`;
    return position.outcome === 'inconsistent'
      ? [journal, t(texts.unavailable), '—', '—', limitIn(currency)]
      : [
          journal,
          renderBalance(view, position.balance, currency),
          money(position.reserved),
          money(position.currentMinus),
          limitIn(currency),
        ];
  });
  return {
    title: t(common.balances),
    body: html`${heading(t(common.balances), exportLink(view, 'balances'), t(texts.about))}${renderTable(
      view,
      {
        caption: t(common.balances),
        columns: [
          common.currency,
          { amount: common.balance },
          { amount: common.reserved },
          { amount: texts.debt },
          { amount: common.overdraftLimit },
        ],
        rows,
      },
    )}${debtExplained(
      view,
      positions.flatMap(({ position }) => (position.outcome === 'consistent' ? [position] : [])),
    )}`,
  };
}
