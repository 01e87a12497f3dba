import { z } from 'zod';
import { balancesCsvOfShop } from '#projections/csv/balances.ts';
import { journalCsvOfShop } from '#projections/csv/journal.ts';
import { operationsCsvOfShop } from '#projections/csv/operations.ts';
import { deliveriesCsvOfShop } from '#projections/csv/webhook-deliveries.ts';
import { exportedAtMost, onlyFound, requireFound } from '#projections/operations/finding/find.ts';
import { whyCut } from '#projections/operations/finding/texts.ts';
import { postUnpostedEnds } from '#projections/operations/post-ends.ts';
import { readDeliveryFilter, toMessageFilter } from '../../frame/delivery-filter.ts';
import { readPageQuery } from '../../frame/query.ts';
import { readZone } from '#shared/application/pages/zone.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { endsIn, sessionShopId, portalView, type Portal, type PortalContext } from '../env.ts';
import type { MerchantList } from '../../frame/access-log.ts';
import type { ReadExport } from '../../frame/site-map.ts';
import { readPortalFilter } from '../operations/filter.ts';
import { searchShop } from '../operations/search.ts';

const journal = z.object({ currency: z.enum(currencies) });

/** The lists of the pages as files, of the session's shop alone. */
export const merchantExports = {
  operations: async (c, portal) => {
    const { openFields } = portal.personal;
    const { filter, note } = await filterToExport(c, portal);
    const query = operationsCsvOfShop(
      filter,
      (operationIds) => postUnpostedEnds(endsIn(portal, portal.exports.db), operationIds),
      openFields,
    );
    return { query: { ...query, note } };
  },
  balances: (c) => ({ query: balancesCsvOfShop(sessionShopId(c)) }),
  journal: (c) => {
    const { currency } = readPageQuery(c, journal);
    return { query: journalCsvOfShop({ shopId: sessionShopId(c), currency }) };
  },
  'webhook-deliveries': (c) => {
    const query = readDeliveryFilter(c.req.query());
    const { from, to, ...filter } = toMessageFilter(query, readZone(c));
    const between = { createdFrom: from, createdBefore: to };
    return { query: deliveriesCsvOfShop({ shopId: sessionShopId(c), ...filter, ...between }) };
  },
} as const satisfies Record<MerchantList, ReadExport<PortalContext, Portal>>;

/** Of a search: the operations that it finds. @throws Problem not_ready if it takes too long */
async function filterToExport(c: PortalContext, portal: Portal) {
  const { query, filter } = await readPortalFilter(c, portal);
  const { q } = query;
  if (q === undefined) return { filter };
  const found = requireFound(await searchShop(c, portal, { q, filter, limit: exportedAtMost }));
  const { shopId } = filter;
  return { filter: { shopId, ...onlyFound(found) }, note: whyCut(portalView(c), found) };
}
