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
import { answerCsv, answerProgress } from '#shared/platform/csv/answer.ts';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import {
  endsIn,
  sessionReader,
  sessionShopId,
  portalView,
  type Portal,
  type PortalApp,
  type PortalContext,
} from '../env.ts';
import type { MerchantList } from '../../frame/access-log.ts';
import { readPortalFilter } from '../operations/filter.ts';
import { searchShop } from '../operations/search.ts';

const journal = z.object({ currency: z.enum(currencies) });

/** The lists of the pages as files, of the session's shop alone. */
export function registerPortalExports(app: PortalApp, portal: Portal): void {
  const { exports, accessLog } = portal;
  const answer = (c: PortalContext, list: MerchantList, query: CsvQuery) =>
    answerCsv(c, exports, {
      list,
      query,
      zone: readZone(c),
      forPeople: true,
      // By merchant, not by shop: a merchant may have many shops.
      holder: c.get('session').shop.merchantId,
      exported: () => accessLog.exported(sessionReader(c), { list }),
    });

  app.get('/operations.csv', async (c) => {
    const { openFields } = portal.personal;
    const { filter, note } = await filterToExport(c, portal);
    const query = operationsCsvOfShop(
      filter,
      (operationIds) => postUnpostedEnds(endsIn(portal, exports.db), operationIds),
      openFields,
    );
    return answer(c, 'operations', { ...query, note });
  });

  app.get('/exports/:follow', (c) => answerProgress(c, exports, c.get('session').shop.merchantId));

  app.get('/balances.csv', (c) => answer(c, 'balances', balancesCsvOfShop(sessionShopId(c))));

  app.get('/journal.csv', (c) => {
    const { currency } = readPageQuery(c, journal);
    return answer(c, 'journal', journalCsvOfShop({ shopId: sessionShopId(c), currency }));
  });

  app.get('/webhook-deliveries.csv', (c) => {
    const asked = readDeliveryFilter(c.req.query());
    const { from, to, ...filter } = toMessageFilter(asked, readZone(c));
    const between = { createdFrom: from, createdBefore: to };
    const query = deliveriesCsvOfShop({ shopId: sessionShopId(c), ...filter, ...between });
    return answer(c, 'webhook-deliveries', query);
  });
}

/** Of a search: the operations that it finds. @throws Problem not_ready if it takes too long */
async function filterToExport(c: PortalContext, portal: Portal) {
  const { asked, filter } = await readPortalFilter(c, portal);
  const { q } = asked;
  if (q === undefined) return { filter };
  const found = requireFound(await searchShop(c, portal, { q, filter, limit: exportedAtMost }));
  const { shopId } = filter;
  return { filter: { shopId, ...onlyFound(found) }, note: whyCut(portalView(c), found) };
}
