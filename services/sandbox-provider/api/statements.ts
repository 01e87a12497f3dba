import type { Hono } from 'hono';
import { z } from 'zod';
import { wireCurrencySchema } from '#shared/application/providers/sandbox/wire.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { queryParameters, validateQuery } from '#shared/platform/http/query.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { SandboxEnv } from '../env.ts';
import { statementDifferenceSchema, type SandboxStatements } from '../statements.ts';

const querySchema = z.strictObject({
  currency: wireCurrencySchema,
  day: z.iso.date(),
  page: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number from 1')
    .default('1')
    .transform(Number),
});

/** Statements, and what a test plants in them. */
export function registerSandboxStatements(
  app: Hono<SandboxEnv>,
  statements: SandboxStatements,
): void {
  app.get('/v1/statements', (c) => {
    const query = validateQuery(queryParameters(c), querySchema);
    return c.json(statements.page({ ...query, account: c.get('account') }));
  });
  const path = '/control/statements/differences';
  app.get(path, (c) => c.json(statements.differences()));
  app.post(path, async (c) => {
    statements.plant(validate(statementDifferenceSchema, await readJson(c)));
    return c.json(statements.differences());
  });
  app.delete(path, (c) => {
    statements.clear();
    return c.json([]);
  });
}
