import { z } from 'zod';
import type { OperationFilter } from '#projections/operations/query.ts';
import { operationFilter, toOperationFilter as toFilter } from '../../frame/operation-filter.ts';
import { filterValue } from '../../frame/filter-value.ts';

const schema = z.object({
  shop: filterValue(z.guid().toLowerCase()),
  ...operationFilter.shape,
  attention: filterValue(z.enum(['overpaid'])),
  cursor: filterValue(z.string().max(400)),
});

export type ConsoleOperationFilter = z.infer<typeof schema>;

/** The filter in a page's URL. */
export const readConsoleFilter = (
  query: Readonly<Record<string, string>>,
): ConsoleOperationFilter => schema.parse(query);

export const parseOperationFilter = (
  { shop, attention, ...filter }: ConsoleOperationFilter,
  zone: string,
): OperationFilter => ({
  shopId: shop,
  attention,
  ...toFilter(filter, zone),
});
