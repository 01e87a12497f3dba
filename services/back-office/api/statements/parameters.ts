import { z } from 'zod';
import { findings } from '#shared/domain/statements/findings.ts';
import { statementDaySchema as day, type StatementOf } from '#shared/domain/statements/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { currencyParameter, limitParameter } from '../query.ts';

const name = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be a name of 1 to 64 letters, digits, _, . or -');

export const statementFilter = z.strictObject({
  provider: name.optional(),
  account: name.optional(),
  currency: currencyParameter,
  from: day.optional(),
  to: day.optional(),
});
export const findingFilter = statementFilter.extend({
  finding: z.enum(findings).optional(),
  status: z.enum(['open', 'closed']).optional(),
});
export const pageParameters = { cursor: z.string().max(2_000).optional(), limit: limitParameter };

const ofSchema = z.object({
  provider: name,
  account: name,
  currency: z.string().regex(/^[A-Z]{2,10}$/),
  day,
});

type Params = Readonly<Record<string, string>>;

/** The statement that a path names. @throws Problem not_found for an invalid name */
export const parseStatementPath = (params: Params): StatementOf => named(ofSchema, params);

/** An account with a provider, in one currency. */
export type AccountOf = Omit<StatementOf, 'day'>;
const accountSchema = ofSchema.omit({ day: true });

/** The account that a path names. @throws Problem not_found for an invalid name */
export const parseAccountPath = (params: Params): AccountOf => named(accountSchema, params);

function named<Of>(schema: z.ZodType<Of>, params: Params): Of {
  const { data, success } = schema.safeParse(params);
  if (!success) throw new Problem('not_found');
  return data;
}
