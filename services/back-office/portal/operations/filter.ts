import { z } from 'zod';
import type { OperationFilter } from '#projections/operations/query.ts';
import { readZone } from '#shared/application/pages/zone.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { readBatch } from '#shared/application/payout-batches/batches.ts';
import { payoutIds } from '#shared/domain/payout-batch/decide.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { operationFilter, toOperationFilter } from '../../frame/operation-filter.ts';
import { filterValue } from '../../frame/filter-value.ts';
import { sessionShopId, type Portal, type PortalContext } from '../env.ts';

const schema = operationFilter.extend({
  status: filterValue(z.enum(shownStatuses)),
  /** A file of payouts. */
  file: filterValue(z.guid()),
});

export type PortalOperationFilter = z.infer<typeof schema>;

type Read = { query: PortalOperationFilter; filter: OperationFilter & { shopId: string } };

/**
 * The filter in the address, always within the session's own shop.
 * @throws Problem not_ready when a file's payouts can't be read
 */
export async function readPortalFilter(
  c: PortalContext,
  { store }: Pick<Portal, 'store'>,
): Promise<Read> {
  const query = schema.parse(c.req.query());
  const shopId = sessionShopId(c);
  const { file: batchId } = query;
  // Another shop's file has no payouts here.
  const batch = batchId && (await fromStore(readBatch(store, { batchId, shopId })));
  const operationIds = batch ? payoutIds(batch) : undefined;
  const filter = { ...toOperationFilter(query, readZone(c)), operationIds };
  return { query, filter: { ...filter, shopId, forMerchants: true } };
}
