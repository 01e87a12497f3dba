import { z } from 'zod';
import { activityCsv } from '#projections/csv/activity.ts';
import { balancesCsv } from '#projections/csv/balances.ts';
import { journalCsv } from '#projections/csv/journal.ts';
import { operationsCsv } from '#projections/csv/operations.ts';
import { statementFindingsCsv, statementsCsv } from '#projections/csv/provider-statements.ts';
import { deliveriesCsv } from '#projections/csv/webhook-deliveries.ts';
import { messageStatuses } from '#shared/application/webhooks/database/tables.ts';
import { answerCsv } from '#shared/platform/csv/answer.ts';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import { timeParameter } from '#shared/platform/http/time-parameter.ts';
import { activityFilter, toActivityFilter } from '../activity/routes.ts';
import { operationsFilter, toFilter } from '../operations/routes.ts';
import { findingFilter, statementFilter } from '../statements/parameters.ts';
import { currencyParameter, readQuery, shopIdParameter, zoneParameter } from '../query.ts';
import type { ExportedList } from '../../frame/access-log.ts';
import type { AdminApp, AdminContext } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';

const operations = operationsFilter.extend({ time_zone: zoneParameter });
const activity = activityFilter.extend({ time_zone: zoneParameter });
const statements = statementFilter.extend({ time_zone: zoneParameter });
const findings = findingFilter.extend({ time_zone: zoneParameter });
const balances = z.strictObject({ shop_id: shopIdParameter, time_zone: zoneParameter });
const journal = balances.extend({
  currency: currencyParameter,
  posted_from: timeParameter.optional(),
  posted_to: timeParameter.optional(),
});
const deliveries = balances.extend({
  operation_id: z.guid().toLowerCase().optional(),
  status: z.enum(messageStatuses).optional(),
  created_from: timeParameter.optional(),
  created_to: timeParameter.optional(),
});

/** The lists as CSV files of any size, for programs. */
export function registerAdminExports(app: AdminApp, dependencies: AdminDependencies): void {
  const answer = (
    c: AdminContext,
    list: ExportedList,
    { shop_id: shopId, time_zone: zone }: Partial<z.infer<typeof balances>> & { time_zone: string },
    query: CsvQuery,
  ) =>
    answerCsv(c, dependencies.exports, {
      list,
      query,
      zone,
      forPeople: false,
      holder: c.get('operator').tokenId,
      exported: () => dependencies.accessLog.exported(c.get('operator'), { list, shopId }),
    });

  app.get('/admin/v1/operations.csv', (c) => {
    const query = readQuery(c, operations);
    return answer(
      c,
      'operations',
      query,
      operationsCsv(toFilter(query), dependencies.personal.openFields),
    );
  });

  app.get('/admin/v1/journal.csv', (c) => {
    const query = readQuery(c, journal);
    const { shop_id: shopId, currency, posted_from: postedFrom, posted_to: postedBefore } = query;
    return answer(c, 'journal', query, journalCsv({ shopId, currency, postedFrom, postedBefore }));
  });

  app.get('/admin/v1/balances.csv', (c) => {
    const query = readQuery(c, balances);
    return answer(c, 'balances', query, balancesCsv({ shopId: query.shop_id }));
  });

  app.get('/admin/v1/activity.csv', (c) => {
    const query = readQuery(c, activity);
    return answer(c, 'activity', query, activityCsv(toActivityFilter(query)));
  });

  app.get('/admin/v1/statements.csv', (c) => {
    const { time_zone, ...filter } = readQuery(c, statements);
    return answer(c, 'statements', { time_zone }, statementsCsv(filter));
  });

  app.get('/admin/v1/statement-findings.csv', (c) => {
    const { time_zone, ...filter } = readQuery(c, findings);
    return answer(c, 'statement-findings', { time_zone }, statementFindingsCsv(filter));
  });

  app.get('/admin/v1/webhook-deliveries.csv', (c) => {
    const filter = readQuery(c, deliveries);
    const query = deliveriesCsv({
      shopId: filter.shop_id,
      operationId: filter.operation_id,
      status: filter.status,
      createdFrom: filter.created_from,
      createdBefore: filter.created_to,
    });
    return answer(c, 'webhook-deliveries', filter, query);
  });
}
