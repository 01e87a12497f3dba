import { z } from 'zod';
import { methods } from '#shared/domain/methods/index.ts';
import type { OperationFilter } from '#projections/operations/query.ts';
import { textParameter } from '../../api/query.ts';
import { statusNames } from '../../frame/names.ts';
import { dayEnd, dayStart } from '#shared/application/pages/zone.ts';

const date = z.iso.date().optional();

const schema = z.object({
  q: textParameter,
  shop: z.guid().toLowerCase().optional(),
  type: z.enum(['payment', 'payout']).optional(),
  status: z.enum(Object.keys(statusNames) as (keyof typeof statusNames)[]).optional(),
  method: z.enum(Object.keys(methods) as (keyof typeof methods)[]).optional(),
  returned: z.literal('yes').optional(),
  from: date,
  to: date,
  cursor: z.string().max(400).optional(),
});

export type Filter = z.infer<typeof schema>;

/**
 * The filter in a page's URL. A form also sends empty fields, and invalid values are ignored: the
 * form above the list shows which filters apply.
 */
export const readFilter = (query: Readonly<Record<string, string>>): Filter =>
  schema.parse(soundOnes(schema.shape, query));

/** The values that are known and make sense. */
export function soundOnes(
  shape: Readonly<Record<string, z.ZodType>>,
  query: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(query)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([name, value]) => value !== '' && Object.hasOwn(shape, name));
  return Object.fromEntries(
    entries.filter(([name, value]) => shape[name]?.safeParse(value).success),
  );
}

/** Days are in the time zone of the page. */
export const toOperationFilter = (
  { shop, type, status, method, returned, from, to }: Filter,
  zone: string,
): OperationFilter => ({
  shopId: shop,
  type,
  status,
  method,
  returned: returned === 'yes',
  createdFrom: from === undefined ? undefined : dayStart(from, zone),
  createdBefore: to === undefined ? undefined : dayEnd(to, zone),
});
