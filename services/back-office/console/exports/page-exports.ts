import { z } from 'zod';
import { activityCsv } from '#projections/csv/activity.ts';
import { balancesCsv } from '#projections/csv/balances.ts';
import { journalCsv } from '#projections/csv/journal.ts';
import { operationsCsv } from '#projections/csv/operations.ts';
import { statementFindingsCsv, statementsCsv } from '#projections/csv/provider-statements.ts';
import { deliveriesCsv } from '#projections/csv/webhook-deliveries.ts';
import { exportedAtMost, onlyFound, requireFound } from '#projections/operations/finding/find.ts';
import { whyCut } from '#projections/operations/finding/texts.ts';
import { readDeliveryFilter, toMessageFilter } from '../../frame/delivery-filter.ts';
import { readPageQuery } from '../../frame/query.ts';
import { currencies } from '#shared/domain/currencies.ts';
import type { ExportedList } from '../../frame/access-log.ts';
import { findingFilter, statementFilter } from '../../api/statements/parameters.ts';
import { readActivityFilter, parseActivityFilter } from '../activity/filter.ts';
import { consoleView, type Console, type ConsoleContext } from '../env.ts';
import type { ReadExport } from '../../frame/site-map.ts';
import {
  readConsoleFilter,
  parseOperationFilter,
  type ConsoleOperationFilter,
} from '../operations/filter.ts';
import { searchShops } from '../operations/search.ts';
import { readShopNames } from '../shops/choices.ts';
import { readZone } from '#shared/application/pages/zone.ts';

const messages = z.object({ shop: z.guid().toLowerCase() });
const ledger = z.object({ shop: z.guid().toLowerCase(), currency: z.enum(currencies) });

/** The lists of the pages as files, by the filters in the address of the page. */
export const pageExports = {
  operations: async (c, console) => {
    const filter = readConsoleFilter(c.req.query());
    const { openFields } = console.personal;
    const found = await foundByLine(c, console, filter);
    const narrowed = found ? onlyFound(found) : parseOperationFilter(filter, readZone(c));
    const note = found && whyCut(consoleView(c), found);
    return { query: { ...operationsCsv(narrowed, openFields), note }, shopId: filter.shop };
  },
  activity: (c) => {
    const filter = readActivityFilter(c.req.query());
    return { query: activityCsv(parseActivityFilter(filter, readZone(c))), shopId: filter.shop };
  },
  statements: (c) => ({ query: statementsCsv(readPageQuery(c, statementFilter)) }),
  'statement-findings': (c) => ({ query: statementFindingsCsv(readPageQuery(c, findingFilter)) }),
  balances: () => ({ query: balancesCsv({}) }),
  journal: (c) => {
    const { shop: shopId, currency } = readPageQuery(c, ledger);
    return { query: journalCsv({ shopId, currency }), shopId };
  },
  'webhook-deliveries': (c) => {
    const { shop: shopId } = readPageQuery(c, messages);
    const deliveryFilter = readDeliveryFilter(c.req.query());
    const { from, to, ...filter } = toMessageFilter(deliveryFilter, readZone(c));
    const between = { createdFrom: from, createdBefore: to };
    return { query: deliveriesCsv({ shopId, ...filter, ...between }), shopId };
  },
} as const satisfies Record<ExportedList, ReadExport<ConsoleContext, Console>>;

/** Of a search: the operations that it finds. @throws Problem not_ready if it takes too long */
async function foundByLine(c: ConsoleContext, console: Console, filter: ConsoleOperationFilter) {
  const { q, shop } = filter;
  if (q === undefined) return undefined;
  const { named: shopsNamed } = await readShopNames(console, consoleView(c), shop);
  const limit = exportedAtMost;
  return requireFound(await searchShops(c, console, { q, filter, shopsNamed, limit }));
}
