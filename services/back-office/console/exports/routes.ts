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
import { answerCsv, answerProgress } from '#shared/platform/csv/answer.ts';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { ExportedList } from '../../frame/access-log.ts';
import { findingFilter, statementFilter } from '../../api/statements/parameters.ts';
import { readActivityFilter, parseActivityFilter } from '../activity/filter.ts';
import {
  mayCall,
  consoleView,
  type Console,
  type ConsoleApp,
  type ConsoleContext,
} from '../env.ts';
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
export function registerExportsOfPages(app: ConsoleApp, console: Console): void {
  const demandAccess = (c: ConsoleContext, list: ExportedList) => {
    if (!mayCall(c.get('session'), `GET /admin/v1/${list}.csv`)) throw new Problem('forbidden');
  };
  const answer = (c: ConsoleContext, list: ExportedList, query: CsvQuery, shopId?: string) => {
    const { holder } = c.get('session');
    demandAccess(c, list);
    return answerCsv(c, console.exports, {
      list,
      query,
      zone: readZone(c),
      forPeople: true,
      holder: holder.tokenId,
      exported: () => console.accessLog.exported(holder, { list, shopId }),
    });
  };

  app.get('/operations.csv', async (c) => {
    demandAccess(c, 'operations');
    const filter = readConsoleFilter(c.req.query());
    const { openFields } = console.personal;
    const found = await foundByLine(c, console, filter);
    const narrowed = found ? onlyFound(found) : parseOperationFilter(filter, readZone(c));
    const note = found && whyCut(consoleView(c), found);
    const query = { ...operationsCsv(narrowed, openFields), note };
    return answer(c, 'operations', query, filter.shop);
  });

  app.get('/exports/:follow', (c) =>
    answerProgress(c, console.exports, c.get('session').holder.tokenId),
  );

  app.get('/activity.csv', (c) => {
    const filter = readActivityFilter(c.req.query());
    return answer(
      c,
      'activity',
      activityCsv(parseActivityFilter(filter, readZone(c))),
      filter.shop,
    );
  });

  app.get('/statements.csv', (c) =>
    answer(c, 'statements', statementsCsv(readPageQuery(c, statementFilter))),
  );

  app.get('/statement-findings.csv', (c) =>
    answer(c, 'statement-findings', statementFindingsCsv(readPageQuery(c, findingFilter))),
  );

  app.get('/balances.csv', (c) => answer(c, 'balances', balancesCsv({})));

  app.get('/journal.csv', (c) => {
    const { shop: shopId, currency } = readPageQuery(c, ledger);
    return answer(c, 'journal', journalCsv({ shopId, currency }), shopId);
  });

  app.get('/webhook-deliveries.csv', (c) => {
    const { shop: shopId } = readPageQuery(c, messages);
    const deliveryFilter = readDeliveryFilter(c.req.query());
    const { from, to, ...filter } = toMessageFilter(deliveryFilter, readZone(c));
    const between = { createdFrom: from, createdBefore: to };
    return answer(
      c,
      'webhook-deliveries',
      deliveriesCsv({ shopId, ...filter, ...between }),
      shopId,
    );
  });
}

/** Of a search: the operations that it finds. @throws Problem not_ready if it takes too long */
async function foundByLine(c: ConsoleContext, console: Console, filter: ConsoleOperationFilter) {
  const { q, shop } = filter;
  if (q === undefined) return undefined;
  const { named: shopsNamed } = await readShopNames(console, consoleView(c), shop);
  const limit = exportedAtMost;
  return requireFound(await searchShops(c, console, { q, filter, shopsNamed, limit }));
}
