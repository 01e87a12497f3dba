import { z } from 'zod';
import { activityKinds, type ActivityFilter } from '#projections/operators/activity.ts';
import { textParameter } from '../../api/query.ts';
import { filterValue } from '../../frame/filter-value.ts';
import { dayEnd, dayStart } from '#shared/application/pages/zone.ts';

const schema = z.object({
  operator: filterValue(textParameter),
  kind: filterValue(z.enum(activityKinds)),
  shop: filterValue(z.guid().toLowerCase()),
  from: filterValue(z.iso.date()),
  to: filterValue(z.iso.date()),
  cursor: filterValue(z.string().max(400)),
});

export type ActivityQuery = z.infer<typeof schema>;

/** The filter in a page's URL. */
export const readActivityFilter = (query: Readonly<Record<string, string>>): ActivityQuery =>
  schema.parse(query);

/** Days are in the time zone of the page. */
export const parseActivityFilter = (
  { operator, kind, shop, from, to }: ActivityQuery,
  zone: string,
): ActivityFilter => ({
  operator,
  kind,
  shopId: shop,
  from: from === undefined ? undefined : dayStart(from, zone),
  before: to === undefined ? undefined : dayEnd(to, zone),
});
