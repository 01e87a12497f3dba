import { z } from 'zod';
import { activityKinds, type ActivityFilter } from '#projections/operators/activity.ts';
import { textParameter } from '../../api/query.ts';
import { soundOnes } from '../operations/filter.ts';
import { dayEnd, dayStart } from '#shared/application/pages/zone.ts';

const schema = z.object({
  operator: textParameter,
  kind: z.enum(activityKinds).optional(),
  shop: z.guid().toLowerCase().optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  cursor: z.string().max(400).optional(),
});

export type Filter = z.infer<typeof schema>;

/** The filter in a page's URL; invalid values are ignored. */
export const readActivityFilter = (query: Readonly<Record<string, string>>): Filter =>
  schema.parse(soundOnes(schema.shape, query));

/** Days are in the time zone of the page. */
export const toActivityFilter = (
  { operator, kind, shop, from, to }: Filter,
  zone: string,
): ActivityFilter => ({
  operator,
  kind,
  shopId: shop,
  from: from === undefined ? undefined : dayStart(from, zone),
  before: to === undefined ? undefined : dayEnd(to, zone),
});
