import { z } from 'zod';
import { balancesCsvOfShop } from '#projections/csv/balances.ts';
import { journalCsvOfShop } from '#projections/csv/journal.ts';
import { operationsCsvOfShop } from '#projections/csv/operations.ts';
import { deliveriesCsvOfShop } from '#projections/csv/webhook-deliveries.ts';
import { postUnpostedEnds } from '#projections/operations/post-ends.ts';
import { readDeliveryFilter, toMessageFilter } from '../../frame/delivery-filter.ts';
import { queryOf } from '../../frame/query.ts';
import { zoneOf } from '#shared/application/pages/zone.ts';
import { currencies } from '#shared/domain/methods/index.ts';
import { answerCsv, answerProgress } from '#shared/platform/csv/answer.ts';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import {
  endsIn,
  readerOf,
  shopIdOf,
  type Portal,
  type PortalApp,
  type PortalContext,
} from '../env.ts';
import type { MerchantList } from '../../frame/access-log.ts';
import { readFilter } from '../operations/filter.ts';

const journal = z.object({ currency: z.enum(currencies) });

/** The lists of the pages as files, of the session's shop alone. */
export function registerExports(app: PortalApp, portal: Portal): void {
  const { exports, accessLog } = portal;
  const answer = (c: PortalContext, list: MerchantList, query: CsvQuery) =>
    answerCsv(c, exports, {
      list,
      query,
      zone: zoneOf(c),
      forPeople: true,
      // By merchant, not by shop: a merchant may have many shops.
      holder: c.get('session').shop.merchantId,
      exported: () => accessLog.exported(readerOf(c), { list }),
    });

  app.get('/operations.csv', (c) => {
    const { openMetadata } = portal.personal;
    const query = operationsCsvOfShop(
      readFilter(c).filter,
      (operationIds) => postUnpostedEnds(endsIn(portal, exports.db), operationIds),
      openMetadata,
    );
    return answer(c, 'operations', query);
  });

  app.get('/exports/:follow', (c) => answerProgress(c, exports, c.get('session').shop.merchantId));

  app.get('/balances.csv', (c) => answer(c, 'balances', balancesCsvOfShop(shopIdOf(c))));

  app.get('/journal.csv', (c) => {
    const { currency } = queryOf(c, journal);
    return answer(c, 'journal', journalCsvOfShop({ shopId: shopIdOf(c), currency }));
  });

  app.get('/webhook-deliveries.csv', (c) => {
    const asked = readDeliveryFilter(c.req.query());
    const { from, to, ...filter } = toMessageFilter(asked, zoneOf(c));
    const between = { createdFrom: from, createdBefore: to };
    const query = deliveriesCsvOfShop({ shopId: shopIdOf(c), ...filter, ...between });
    return answer(c, 'webhook-deliveries', query);
  });
}
