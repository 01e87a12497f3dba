import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { journalCsvOfShop } from '#projections/csv/journal.ts';
import { operationsCsvOfShop } from '#projections/csv/operations.ts';
import { deliveriesCsvOfShop } from '#projections/csv/webhook-deliveries.ts';
import { postUnpostedEnds } from '#projections/operations/post-ends.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { answerCsv } from '#shared/platform/csv/answer.ts';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { queryOf, validateQuery } from '#shared/platform/http/query.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { Dependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { deliveriesFileQuery, journalFileQuery, operationsFileQuery } from './query.ts';
import { scopeFields } from '#shared/application/scope-fields.ts';

/** A shop's lists as CSV files of any size (R10.15), as the portal has them. */
export function registerExports(
  app: Hono<MerchantEnv>,
  { db, exports, store, entryPoster, personal }: Dependencies,
): void {
  const read = <Schema extends z.ZodType>(c: Context<MerchantEnv>, schema: Schema) =>
    validateQuery(queryOf(c), schema, { unknownFields: scopeFields });
  const answer = (c: Context<MerchantEnv>, list: string, query: CsvQuery) => {
    if (!exports)
      throw new Problem('not_ready', { detail: 'this instance does not serve exports' });
    const { merchantId: holder } = c.get('shop');
    return answerCsv(c, exports, { list, query, zone: 'UTC', forPeople: false, holder });
  };
  const post = async (operationIds: readonly string[]) => {
    const readFrom = (operationId: string) => readOperation(store, operationId);
    if (db) await postUnpostedEnds({ db, entryPoster, read: readFrom }, operationIds);
  };

  app.get(
    '/v1/operations.csv',
    forScope('read', (c) => {
      const query = read(c, operationsFileQuery);
      const filter = {
        shopId: c.get('shop').shopId,
        type: query.type,
        status: query.status,
        merchantOperationId: query.merchant_operation_id,
        clientId: query.client_id,
        createdFrom: query.created_from,
        createdBefore: query.created_to,
      };
      return answer(c, 'operations', operationsCsvOfShop(filter, post, personal.openMetadata));
    }),
  );

  app.get(
    '/v1/journal.csv',
    forScope('read', (c) => {
      const {
        currency,
        posted_from: postedFrom,
        posted_to: postedBefore,
      } = read(c, journalFileQuery);
      const { shopId } = c.get('shop');
      return answer(c, 'journal', journalCsvOfShop({ shopId, currency, postedFrom, postedBefore }));
    }),
  );

  app.get(
    '/v1/webhook-deliveries.csv',
    forScope('read', (c) => {
      const query = read(c, deliveriesFileQuery);
      const filter = {
        shopId: c.get('shop').shopId,
        operationId: query.operation_id,
        status: query.status,
        createdFrom: query.created_from,
        createdBefore: query.created_to,
      };
      return answer(c, 'webhook-deliveries', deliveriesCsvOfShop(filter));
    }),
  );
}
