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

/** What an address asks of the list; what makes no sense is no filter. */
export const readActivityFilter = (query: Readonly<Record<string, string>>): Filter =>
  schema.parse(soundOnes(schema.shape, query));

/** Days are those of the zone that the page shows its times in. */
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
