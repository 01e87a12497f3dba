import { z } from 'zod';
import { methods } from '#shared/domain/methods/index.ts';
import type { OperationFilter } from '#projections/operations/query.ts';
import { textParameter } from '../../api/query.ts';
import { statusNames } from '../names.ts';

const date = z.iso.date().optional();

const schema = z.object({
  q: textParameter,
  shop: z.guid().toLowerCase().optional(),
  type: z.enum(['payment', 'payout']).optional(),
  status: z.enum(Object.keys(statusNames) as (keyof typeof statusNames)[]).optional(),
  method: z.enum(Object.keys(methods) as (keyof typeof methods)[]).optional(),
  from: date,
  to: date,
  cursor: z.string().max(400).optional(),
});

export type Filter = z.infer<typeof schema>;

/**
 * What an address asks of the list. A form sends empty fields too, and a value that makes no sense
 * is no filter: the form above the list shows which ones hold.
 */
export function readFilter(query: Readonly<Record<string, string>>): Filter {
  const given = Object.entries(query)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([name, value]) => value !== '' && Object.hasOwn(schema.shape, name));
  const sound = given.filter(
    ([name, value]) => schema.shape[name as keyof typeof schema.shape].safeParse(value).success,
  );
  return schema.parse(Object.fromEntries(sound));
}

export const toOperationFilter = ({ shop, type, status, method, from, to }: Filter): OperationFilter => ({
  shopId: shop,
  type,
  status,
  method,
  createdFrom: dayOf(from),
  createdBefore: dayAfter(to),
});

/** The day's first moment, in UTC. */
export const dayOf = (day: string | undefined): Date | undefined =>
  day === undefined ? undefined : new Date(`${day}T00:00:00Z`);

/** The first moment after the day. */
export const dayAfter = (day: string | undefined): Date | undefined =>
  day === undefined ? undefined : new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000);
