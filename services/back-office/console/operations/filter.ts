import { z } from 'zod';
import type { OperationFilter } from '#projections/operations/query.ts';
import { operationFilter, toOperationFilter as toFilter } from '../../frame/operation-filter.ts';
import { filterValue } from '../../frame/filter-value.ts';

const schema = z.object({
  shop: filterValue(z.guid().toLowerCase()),
  ...operationFilter.shape,
  cursor: filterValue(z.string().max(400)),
});

export type Filter = z.infer<typeof schema>;

/** The filter in a page's URL. */
export const readFilter = (query: Readonly<Record<string, string>>): Filter => schema.parse(query);

export const toOperationFilter = ({ shop, ...filter }: Filter, zone: string): OperationFilter => ({
  shopId: shop,
  ...toFilter(filter, zone),
});
