import type { Hono } from 'hono';
import { z } from 'zod';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { maxPurposeLength } from '#examples/bank/connector/wire.ts';
import { behaviourSchema } from './behaviour.ts';
import type { BankControl } from './control.ts';
import { differenceSchema } from './statement.ts';

const account = z.string().regex(/^\d{20}$/, 'must be an account of 20 digits');
const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})\.\d{2}$/, 'must be a decimal with two places')
  .refine((text) => text !== '0.00', 'must be above zero');
const bodies = {
  account: z.strictObject({
    account,
    key: z.string().min(16).max(200),
    holder: z.string().min(1).max(200),
  }),
  incoming: z.strictObject({
    account: account.optional(),
    amount,
    purpose: z.string().max(maxPurposeLength).default(''),
    from: z.string().max(64).default('79450000001'),
    late_ms: z.int().min(0).max(86_400_000).default(0),
  }),
  decide: z.discriminatedUnion('state', [
    z.strictObject({ state: z.enum(['booked', 'rejected']) }),
    z.strictObject({ state: z.literal('returned'), amount: amount.optional() }),
  ]),
};

const parseMinor = (text: string): bigint => BigInt(text.replace('.', ''));

/** The control API of the bank, for people and tests; as open as that of the sandbox. */
export function registerBankControl(
  app: Hono<AppEnv>,
  control: BankControl,
  firstAccount: string,
): void {
  const path = '/control/bank';
  app.get(`${path}/behaviour`, (c) => c.json(control.behaviour()));
  app.put(`${path}/behaviour`, async (c) => {
    control.behave(validate(behaviourSchema, await readJson(c)));
    return c.json(control.behaviour());
  });
  app.post(`${path}/accounts`, async (c) => {
    const body = validate(bodies.account, await readJson(c));
    control.openAccount(body);
    return c.json({ account: body.account, holder: body.holder });
  });
  app.post(`${path}/incoming`, async (c) => {
    const body = validate(bodies.incoming, await readJson(c), {
      codes: { amount: 'amount_invalid' },
    });
    const { purpose, from, late_ms: lateMs } = body;
    const arrival = {
      account: body.account ?? firstAccount,
      amount: parseMinor(body.amount),
      purpose,
      from,
      lateMs,
    };
    const transfer = control.arrive(arrival);
    if (!transfer) throw new Problem('not_found', { detail: 'the bank has no such account' });
    return c.json(transfer);
  });
  app.get(`${path}/transfers`, (c) => c.json(control.withPurpose(c.req.query('purpose') ?? '')));
  app.post(`${path}/transfers/:id`, async (c) => {
    const body = validate(bodies.decide, await readJson(c), {
      codes: { amount: 'amount_invalid' },
    });
    const id = c.req.param('id');
    const transfer =
      body.state === 'returned'
        ? control.takeBack(id, body.amount === undefined ? undefined : parseMinor(body.amount))
        : control.decide(id, body.state);
    if (transfer === 'unknown')
      throw new Problem('not_found', { detail: 'the bank has no such transfer' });
    if (transfer === 'not_now')
      throw new Problem('invalid_request', {
        detail: 'the transfer is not in a status that allows this',
      });
    return c.json(transfer);
  });
  app.get(`${path}/differences`, (c) => c.json(control.differences()));
  app.post(`${path}/differences`, async (c) => {
    control.plant(validate(differenceSchema, await readJson(c)));
    return c.json(control.differences());
  });
  app.delete(`${path}/differences`, (c) => {
    control.clearDifferences();
    return c.json([]);
  });
}
