import type { Hono } from 'hono';
import type { Kysely } from 'kysely';
import { createCompleteToReader } from '#projections/as-of.ts';
import { listOperationsOfShop, oldestCreating } from '#projections/operations/of-shop.ts';
import { operationsReadModel } from '#projections/operations/read-model.ts';
import type { ListedOperation } from '#projections/operations/returned.ts';
import { suspenseReadModel } from '#projections/suspense/read-model.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { postUnpostedEnds } from '#projections/operations/post-ends.ts';
import { snapshotRow } from '#projections/operations/view.ts';
import { operationObject } from '#shared/domain/operation/fields/derive.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { queryParameters } from '#shared/platform/http/query.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { boundedByShop } from '../../limits/in-flight.ts';
import { encodeListCursor } from './cursor.ts';
import { toShopFilter, readOperationsQuery, type OperationsQuery } from './query.ts';

/**
 * Limits lists in progress: while PostgreSQL hangs they must not block payments, nor one shop the
 * others. Each holds one connection at a time, of twice as many as one shop may hold.
 */
export const maxLists = { total: 64, perShop: 4 } as const;

type ListRequest = { shopId: string; query: OperationsQuery };

/**
 * GET /v1/operations (R10.11): a shop's operations, from the read model. It is the only endpoint
 * that needs PostgreSQL; without PostgreSQL it answers 503.
 */
export function registerList(app: Hono<MerchantEnv>, dependencies: MerchantDependencies): void {
  const { db, personal } = dependencies;
  const list = db && boundedByShop(maxLists, createList({ ...dependencies, db }));
  app.get(
    '/v1/operations',
    forScope('read', async (c) => {
      const query = readOperationsQuery(queryParameters(c));
      if (!list)
        throw new Problem('not_ready', {
          detail: 'this instance does not serve the list of operations',
        });
      const {
        operations,
        more,
        asOf: readAsOfTime,
      } = await list({ shopId: c.get('shop').shopId, query });
      const last = operations.at(-1);
      const viewed = Promise.all(operations.map((row) => viewForShop(row, personal)));
      return c.json({
        operations: (
          await viewed.catch((cause: unknown) => {
            throw new Problem('not_ready', {
              detail: 'the list can’t be read at the moment',
              cause,
            });
          })
        ).flat(),
        next_cursor:
          more && last
            ? encodeListCursor({
                createdAt: last.created_at.toISOString(),
                operationId: last.operation_id,
                asOf: readAsOfTime,
              })
            : null,
        as_of: readAsOfTime,
      });
    }),
  );
}

const terminalIds = (operations: readonly OperationRow[]): string[] =>
  operations.flatMap((row) => (row.ended_at ? row.operation_id : []));

type ListPorts = Pick<MerchantDependencies, 'store' | 'current' | 'entryPoster'> & {
  db: Kysely<unknown>;
};

function createList({ store, db, current, entryPoster }: ListPorts) {
  const read = (operationId: string) => current.operation(operationId);
  const models = [operationsReadModel, suspenseReadModel];
  const timesOf = models.map((model) => createCompleteToReader({ db, store, model }));
  const readAsOfTime = async () =>
    Math.min(...(await Promise.all(timesOf.map((timeOf) => timeOf()))));
  return async ({ shopId, query }: ListRequest) => {
    // In this order, so that the tables have everything up to `as_of`, also operations that are
    // still being created.
    const listedAsOf = await readAsOfTime().catch((cause: unknown) => {
      throw new Problem('not_ready', { detail: 'the list can’t be read at the moment', cause });
    });
    const open = await fromDatabase(oldestCreating(db, shopId));
    const page = await fromDatabase(
      listOperationsOfShop(db, {
        shopId,
        filter: toShopFilter(query),
        after: query.cursor,
        limit: query.limit,
      }),
    );
    await postUnpostedEnds({ db, entryPoster, read }, terminalIds(page.operations));
    const now = new Date(Math.max(0, Math.min(listedAsOf, open ?? listedAsOf))).toISOString();
    return { ...page, asOf: query.cursor?.asOf ?? now };
  };
}

/** Nothing of an operation that is still being created. */
async function viewForShop(row: ListedOperation, personal: Pick<PersonalData, 'openFields'>) {
  if (row.status === 'creating') return [];
  const opened = await personal.openFields(row.operation_id, row);
  return [operationObject('list', snapshotRow(row, opened))];
}
