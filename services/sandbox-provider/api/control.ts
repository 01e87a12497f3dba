import type { Hono } from 'hono';
import { z } from 'zod';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { reviewResults } from '../attempt/options.ts';
import { maxLegs, type Control, type Controlled } from '../control.ts';

const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})\.\d{2}$/, 'must be a decimal with two places')
  .refine((text) => text !== '0.00', 'must be above zero');
const leg = z.strictObject({ amount, file: z.boolean().default(true) });
const bodies = {
  settle: z.strictObject({
    result: z.enum(['completed', 'declined', 'expired', 'partial']),
    legs: z.array(leg).min(1).max(100).optional(),
  }),
  leg,
  review: z.strictObject({ result: z.enum(reviewResults), actual_amount: amount.optional() }),
  lateMoney: z.strictObject({ amount }),
  expire: z.strictObject({}),
  giveBack: z.strictObject({ leg_id: z.string().optional(), amount: amount.optional() }),
  correct: z.strictObject({ leg_id: z.string(), amount: amount.optional() }),
};
const amountCodes = { codes: { amount: 'amount_invalid', actual_amount: 'amount_invalid' } };

/**
 * The control API of the sandbox (R20.2). On loopback it is open to anyone who reaches the port.
 */
export function registerControl(app: Hono<AppEnv>, control: Control): void {
  const path = '/control/operations/:operationId';
  app.post(`${path}/settle`, async (c) =>
    c.json(
      snapshotOrProblem(
        control.settle(c.req.param('operationId'), validate(bodies.settle, await readJson(c))),
      ),
    ),
  );
  app.post(`${path}/leg`, async (c) => {
    const body = validate(bodies.leg, await readJson(c), amountCodes);
    return c.json(snapshotOrProblem(control.leg(c.req.param('operationId'), body)));
  });
  app.post(`${path}/review`, async (c) => {
    const body = validate(bodies.review, await readJson(c), amountCodes);
    return c.json(snapshotOrProblem(control.review(c.req.param('operationId'), body)));
  });
  app.post(`${path}/late-money`, async (c) => {
    const body = validate(bodies.lateMoney, await readJson(c), amountCodes);
    return c.json(snapshotOrProblem(control.lateMoney(c.req.param('operationId'), body)));
  });
  app.post(`${path}/expire`, async (c) => {
    validate(bodies.expire, await readJson(c));
    return c.json(snapshotOrProblem(control.expire(c.req.param('operationId'))));
  });
  app.post(`${path}/correct`, async (c) => {
    const body = validate(bodies.correct, await readJson(c), amountCodes);
    return c.json(snapshotOrProblem(control.correct(c.req.param('operationId'), body)));
  });
  app.post(`${path}/return`, async (c) => {
    const body = validate(bodies.giveBack, await readJson(c), amountCodes);
    return c.json(snapshotOrProblem(control.giveBack(c.req.param('operationId'), body)));
  });
  app.get(path, (c) => {
    const history = control.history(c.req.param('operationId'));
    if (!history) throw new Problem('operation_not_found');
    return c.json(history);
  });
}

function snapshotOrProblem(controlled: Controlled) {
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
