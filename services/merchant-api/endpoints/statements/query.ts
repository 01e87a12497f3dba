import { z } from 'zod';
import { currencies } from '#shared/domain/currencies.ts';
import { timeParameter } from '#shared/platform/http/time-parameter.ts';
import { validateQuery } from '#shared/platform/http/query.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import { forbiddenScopeFields } from '#shared/application/scope-fields.ts';

const statementQuery = z.strictObject({
  currency: z.enum(currencies).optional(),
  from: timeParameter,
  to: timeParameter,
});

type StatementQuery = z.infer<typeof statementQuery>;

/** @throws Problem invalid_request, also for a period that has not ended */
export function readStatementQuery(sent: URLSearchParams, now: number): StatementQuery {
  const query = validateQuery(sent, statementQuery, { unknownFields: forbiddenScopeFields });
  const { from, to } = query;
  if (to.getTime() > now) throw invalid('/to', 'must not be in the future');
  if (from > to) throw invalid('/from', 'must not be after to');
  return query;
}

const invalid = (pointer: string, detail: string) =>
  invalidRequest([{ pointer, code: 'field_invalid', detail }]);

/** No tree has more entries: the tables have sizes as 32-bit integers. */
const maxSize = 2 ** 31 - 1;

const checkpointsQuery = z.strictObject({
  currency: z.enum(currencies).optional(),
  from_size: z
    .string()
    .regex(/^(0|[1-9]\d{0,14})$/, 'must be a number of entries')
    .transform((digits) => Math.min(Number(digits), maxSize))
    .default(0),
});

/** @throws Problem invalid_request */
export const readCheckpointsQuery = (sent: URLSearchParams): z.infer<typeof checkpointsQuery> =>
  validateQuery(sent, checkpointsQuery, { unknownFields: forbiddenScopeFields });
