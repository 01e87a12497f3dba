import { z } from 'zod';
import { activityCsv } from '#projections/csv/activity.ts';
import { balancesCsv } from '#projections/csv/balances.ts';
import { journalCsv } from '#projections/csv/journal.ts';
import { operationsCsv } from '#projections/csv/operations.ts';
import { findingsCsv, statementsCsv } from '#projections/csv/provider-statements.ts';
import { deliveriesCsv } from '#projections/csv/webhook-deliveries.ts';
import { readDeliveryFilter, toMessageFilter } from '../../frame/delivery-filter.ts';
import { queryOf } from '../../frame/query.ts';
import { answerCsv, answerProgress } from '#shared/platform/csv/answer.ts';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import { currencies } from '#shared/domain/methods/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { ExportedList } from '../../frame/access-log.ts';
import { findingFilter, statementFilter } from '../../api/statements/parameters.ts';
import { readActivityFilter, toActivityFilter } from '../activity/filter.ts';
import { mayCall, type Console, type ConsoleApp, type ConsoleContext } from '../env.ts';
import { readFilter, toOperationFilter } from '../operations/filter.ts';
import { zoneOf } from '#shared/application/pages/zone.ts';

const messages = z.object({ shop: z.guid().toLowerCase() });
const ledger = z.object({ shop: z.guid().toLowerCase(), currency: z.enum(currencies) });

/** The lists of the pages as files, by the filters in the address of the page. */
export function registerExportsOfPages(app: ConsoleApp, console: Console): void {
  const answer = (c: ConsoleContext, list: ExportedList, query: CsvQuery, shopId?: string) => {
    const { holder } = c.get('session');
    if (!mayCall(c.get('session'), `GET /admin/v1/${list}.csv`)) throw new Problem('forbidden');
    return answerCsv(c, console.exports, {
      list,
      query,
      zone: zoneOf(c),
      forPeople: true,
      holder: holder.tokenId,
      exported: () => console.accessLog.exported(holder, { list, shopId }),
    });
  };

  app.get('/operations.csv', (c) => {
    const filter = readFilter(c.req.query());
    const { openMetadata } = console.personal;
    const query = operationsCsv(toOperationFilter(filter, zoneOf(c)), openMetadata);
    return answer(c, 'operations', query, filter.shop);
  });

  app.get('/exports/:follow', (c) =>
    answerProgress(c, console.exports, c.get('session').holder.tokenId),
  );

  app.get('/activity.csv', (c) => {
    const filter = readActivityFilter(c.req.query());
    return answer(c, 'activity', activityCsv(toActivityFilter(filter, zoneOf(c))), filter.shop);
  });

  app.get('/statements.csv', (c) =>
    answer(c, 'statements', statementsCsv(queryOf(c, statementFilter))),
  );

  app.get('/statement-findings.csv', (c) =>
    answer(c, 'statement-findings', findingsCsv(queryOf(c, findingFilter))),
  );

  app.get('/balances.csv', (c) => answer(c, 'balances', balancesCsv({})));

  app.get('/journal.csv', (c) => {
    const { shop: shopId, currency } = queryOf(c, ledger);
    return answer(c, 'journal', journalCsv({ shopId, currency }), shopId);
  });

  app.get('/webhook-deliveries.csv', (c) => {
    const { shop: shopId } = queryOf(c, messages);
    const deliveryFilter = readDeliveryFilter(c.req.query());
    const { from, to, ...filter } = toMessageFilter(deliveryFilter, zoneOf(c));
    const between = { createdFrom: from, createdBefore: to };
    return answer(
      c,
      'webhook-deliveries',
      deliveriesCsv({ shopId, ...filter, ...between }),
      shopId,
    );
  });
}
