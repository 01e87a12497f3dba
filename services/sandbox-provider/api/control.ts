import type { Hono } from 'hono';
import { z } from 'zod';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate, type ValidationOptions } from '#shared/platform/http/validate.ts';
import { reviewResults } from '../attempt/options.ts';
import { maxLegs, type Control, type ControlResult } from '../control.ts';

const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})\.\d{2}$/, 'must be a decimal with two places')
  .refine((text) => text !== '0.00', 'must be above zero');
const leg = z.strictObject({ amount, file: z.boolean().default(true) });
const amountCodes = { codes: { amount: 'amount_invalid', actual_amount: 'amount_invalid' } };
const path = '/control/operations/:operationId';

/**
 * The control API of the sandbox (R20.2). On loopback it is open to anyone who reaches the port.
 */
export function registerControl(app: Hono<AppEnv>, control: Control): void {
  const post = <Body>(
    command: string,
    schema: z.ZodType<Body>,
    act: (operationId: string, body: Body) => ControlResult,
    validation: ValidationOptions = amountCodes,
  ) =>
    app.post(`${path}/${command}`, async (c) => {
      const body = validate(schema, await readJson(c), validation);
      return c.json(snapshotOrProblem(act(c.req.param('operationId'), body)));
    });
  const settling = z.strictObject({
    result: z.enum(['completed', 'declined', 'expired', 'partial']),
    legs: z.array(leg).min(1).max(100).optional(),
  });
  post('settle', settling, control.settle, {});
  post('leg', leg, control.leg);
  const reviewing = { result: z.enum(reviewResults), actual_amount: amount.optional() };
  post('review', z.strictObject(reviewing), control.review);
  post('late-money', z.strictObject({ amount }), control.lateMoney);
  post('expire', z.strictObject({}), control.expire);
  const correcting = { leg_id: z.string(), amount: amount.optional() };
  post('correct', z.strictObject(correcting), control.correct);
  const returning = { leg_id: z.string().optional(), amount: amount.optional() };
  post('return', z.strictObject(returning), control.giveBack);
  app.get(path, (c) => {
    const history = control.history(c.req.param('operationId'));
    if (!history) throw new Problem('operation_not_found');
    return c.json(history);
  });
}

function snapshotOrProblem(controlled: ControlResult) {
  if (controlled.ok) return controlled.snapshot;
  switch (controlled.reason) {
    case 'unknown_operation':
      throw new Problem('operation_not_found', {
        detail: 'the provider has no such operation',
      });
    case 'nothing_to_review':
      throw new Problem('review_not_allowed', { detail: 'no receipt was uploaded' });
    case 'unknown_leg':
      throw new Problem('not_found', {
        detail: 'the attempt has no such leg, or all of it was returned',
      });
    case 'too_many_legs':
      throw new Problem('invalid_request', {
        detail: `an attempt has at most ${maxLegs} legs and as many returns`,
      });
  }
}
