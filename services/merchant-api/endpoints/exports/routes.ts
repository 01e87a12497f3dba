import type { Hono } from 'hono';
import type { z } from 'zod';
import { journalCsvOfShop } from '#projections/csv/journal.ts';
import { operationsCsvOfShop } from '#projections/csv/operations.ts';
import { deliveriesCsvOfShop } from '#projections/csv/webhook-deliveries.ts';
import { postUnpostedEnds } from '#projections/operations/post-ends.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { answerCsv } from '#shared/platform/csv/answer.ts';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { queryParameters, validateQuery } from '#shared/platform/http/query.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { toShopFilter } from '../list/query.ts';
import { forScope } from '../../scopes.ts';
import { deliveriesFileQuery, journalFileQuery, operationsFileQuery } from './query.ts';
import { forbiddenScopeFields } from '#shared/application/scope-fields.ts';

/** A shop's lists as CSV files of any size (R10.15), as the portal has them. */
export function registerMerchantExports(
  app: Hono<MerchantEnv>,
  { exports, store, entryPoster, personal }: MerchantDependencies,
): void {
  const file = <Schema extends z.ZodType>(
    list: string,
    schema: Schema,
    csvOf: (query: z.infer<Schema>, shopId: string) => CsvQuery,
  ) =>
    app.get(
      `/v1/${list}.csv`,
      forScope('read', (c) => {
        const { shopId, merchantId: holder } = c.get('shop');
        const filter = validateQuery(queryParameters(c), schema, {
          unknownFields: forbiddenScopeFields,
        });
        if (!exports)
          throw new Problem('not_ready', { detail: 'this instance does not serve exports' });
        const query = csvOf(filter, shopId);
        return answerCsv(c, exports, { list, query, zone: 'UTC', forPeople: false, holder });
      }),
    );
  const post = async (operationIds: readonly string[]) => {
    const read = (operationId: string) => readOperation(store, operationId);
    if (exports) await postUnpostedEnds({ db: exports.db, entryPoster, read }, operationIds);
  };

  file('operations', operationsFileQuery, (query, shopId) =>
    operationsCsvOfShop({ shopId, ...toShopFilter(query) }, post, personal.openFields),
  );
  file('journal', journalFileQuery, ({ currency, posted_from, posted_to }, shopId) =>
    journalCsvOfShop({ shopId, currency, postedFrom: posted_from, postedBefore: posted_to }),
  );
  file('webhook-deliveries', deliveriesFileQuery, (query, shopId) =>
    deliveriesCsvOfShop({
      shopId,
      operationId: query.operation_id,
      status: query.status,
      createdFrom: query.created_from,
      createdBefore: query.created_to,
    }),
  );
}
