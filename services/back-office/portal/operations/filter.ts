import { z } from 'zod';
import type { OperationFilter } from '#projections/operations/query.ts';
import { zoneOf } from '#shared/application/pages/zone.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { operationFilter, toOperationFilter } from '../../frame/operation-filter.ts';
import { filterValue } from '../../frame/filter-value.ts';
import { shopIdOf, type PortalContext } from '../env.ts';

const schema = operationFilter.extend({ status: filterValue(z.enum(shownStatuses)) });

export type Filter = z.infer<typeof schema>;

/** The filter in the address, always within the session's own shop. */
export function readFilter(c: PortalContext): {
  asked: Filter;
  filter: OperationFilter & { shopId: string };
} {
  const asked = schema.parse(c.req.query());
  const filter = toOperationFilter(asked, zoneOf(c));
  return { asked, filter: { ...filter, shopId: shopIdOf(c), forMerchants: true } };
}
