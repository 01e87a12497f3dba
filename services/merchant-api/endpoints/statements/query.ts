import { z } from 'zod';
import { currencies } from '#shared/domain/methods/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { timeParameter } from '#shared/platform/http/time-parameter.ts';
import { validateQuery } from '#shared/platform/http/query.ts';
import { scopeFields } from '#shared/application/scope-fields.ts';

const statementQuery = z.strictObject({
  currency: z.enum(currencies).optional(),
  from: timeParameter,
  to: timeParameter,
});

type StatementQuery = z.infer<typeof statementQuery>;

/** @throws Problem invalid_request, also for a period that has not ended */
export function readStatementQuery(sent: URLSearchParams, now: number): StatementQuery {
  const query = validateQuery(sent, statementQuery, { unknownFields: scopeFields });
  const { from, to } = query;
  if (to.getTime() > now) throw invalid('/to', 'must not be in the future');
  if (from > to) throw invalid('/from', 'must not be after to');
  return query;
}

const invalid = (pointer: string, detail: string) =>
  new Problem('invalid_request', { errors: [{ pointer, code: 'field_invalid', detail }] });

const checkpointsQuery = z.strictObject({
  from_size: z
    .string()
    .regex(/^(0|[1-9]\d{0,8})$/, 'must be a number of entries')
    .transform(Number)
    .default(0),
});

/** @throws Problem invalid_request */
export const readCheckpointsQuery = (sent: URLSearchParams): z.infer<typeof checkpointsQuery> =>
  validateQuery(sent, checkpointsQuery, { unknownFields: scopeFields });
