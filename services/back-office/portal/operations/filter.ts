import { z } from 'zod';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import type { OperationFilter } from '#projections/operations/query.ts';
import { dayEnd, dayStart, zoneOf } from '#shared/application/pages/zone.ts';
import { methodNames } from '#shared/domain/methods/index.ts';
import { textParameter } from '#shared/platform/http/text-parameter.ts';
import { shopIdOf, type PortalContext } from '../env.ts';

const date = z.iso.date().optional().catch(undefined);

/** A form sends empty fields too, and a value that makes no sense is no filter. */
const schema = z.object({
  q: textParameter.transform((text) => text?.trim() || undefined).catch(undefined),
  type: z.enum(operationTypes).optional().catch(undefined),
  status: z.enum(shownStatuses).optional().catch(undefined),
  method: z.enum(methodNames).optional().catch(undefined),
  returned: z.literal('yes').optional().catch(undefined),
  from: date,
  to: date,
});

export type Filter = z.infer<typeof schema>;

/** What the address asks for, always within the session's own shop. */
export function readFilter(c: PortalContext): {
  asked: Filter;
  filter: OperationFilter & { shopId: string };
} {
  const asked = schema.parse(c.req.query());
  const { type, status, method, returned, from, to } = asked;
  // Days are those of the zone that the page shows its times in.
  const zone = zoneOf(c);
  const filter = {
    shopId: shopIdOf(c),
    type,
    status,
    method,
    returned: returned === 'yes',
    createdFrom: from === undefined ? undefined : dayStart(from, zone),
    createdBefore: to === undefined ? undefined : dayEnd(to, zone),
    forMerchants: true,
  };
  return { asked, filter };
}
