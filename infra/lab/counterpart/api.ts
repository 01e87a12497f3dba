import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { parseCreateBody } from '#shared/application/create-body/body.ts';
import { identifier } from '#shared/application/create-body/texts.ts';
import { Problem, problems } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { hashApiKey } from '#shared/application/credentials.ts';
import { createPlainApp, listenOnPort } from '../targets/serve.ts';
import { create } from './create.ts';
import { pool } from './database.ts';
import { cancelPayment, report } from './end.ts';
import { isOver, counterpartOperation } from './operation-object.ts';
import { readCallback } from './provider.ts';
import * as sql from './statements.ts';

// A gateway as a team would write it on PostgreSQL: the merchant API and the provider's callbacks.

type Env = { Variables: { shop: sql.CounterpartShop } };

const identifiers = {
  operation_id: z.uuid().optional(),
  merchant_operation_id: identifier.optional(),
};
const hasOneId = (body: {
  operation_id?: string | undefined;
  merchant_operation_id?: string | undefined;
}) => (body.operation_id === undefined) !== (body.merchant_operation_id === undefined);
const stateBody = z.strictObject(identifiers).refine(hasOneId);
const cancelBody = z
  .strictObject({ ...identifiers, reason: z.string().max(2048).optional() })
  .refine(hasOneId);

const shopCachedMs = 1_000;
const known = new Map<string, { shop: sql.CounterpartShop; atMs: number }>();

/** The shop of a key, at most a second old. @throws Problem */
async function findShop(key: string | undefined): Promise<sql.CounterpartShop> {
  if (!key) throw new Problem('api_key_required');
  const hash = hashApiKey(key);
  const cached = known.get(hash);
  if (cached && Date.now() - cached.atMs < shopCachedMs) return cached.shop;
  const [shop] = await sql.shopByKey(pool, hash);
  if (!shop) throw new Problem('api_key_invalid');
  known.set(hash, { shop, atMs: Date.now() });
  return shop;
}

/** @throws Problem operation_not_found */
async function find(
  shop: sql.CounterpartShop,
  body: z.infer<typeof stateBody>,
): Promise<sql.CounterpartOperation> {
  const [found] = body.operation_id
    ? await sql.byId(pool, body.operation_id, shop.shop_id)
    : await sql.byKey(pool, body.merchant_operation_id, shop.shop_id);
  if (!found) throw new Problem('operation_not_found');
  return found;
}

async function state(shop: sql.CounterpartShop, body: z.infer<typeof stateBody>): Promise<object> {
  const row = await find(shop, body);
  const over = isOver(row);
  const rows = over ? await sql.contributions(pool, row.operation_id) : [];
  const receipts = rows.map(({ id, amount, completed_at }) => ({
    id,
    amount: Number(amount),
    completed_at,
  }));
  return {
    ...counterpartOperation(row),
    receipt_evidence_status: over ? 'complete' : 'not_ready',
    receipts,
  };
}

async function json(c: Context): Promise<unknown> {
  return c.req.json().catch(() => {
    throw new Problem('invalid_json');
  });
}

const app = createPlainApp();
const merchant = new Hono<Env>();
merchant.use(async (c, next) => {
  c.set('shop', await findShop(c.req.header('x-api-key')));
  await next();
});
for (const type of ['payment', 'payout'] as const)
  merchant.post(`/${type}`, async (c) =>
    c.json(await create(c.var.shop, type, parseCreateBody(type, await json(c)))),
  );
merchant.post('/cancel_operation', async (c) => {
  const { reason = 'cancel', ...which } = validate(cancelBody, await json(c));
  return c.json(await cancelPayment(c.var.shop, await find(c.var.shop, which), reason));
});
merchant.post('/get_operation_state', async (c) =>
  c.json(await state(c.var.shop, validate(stateBody, await json(c)))),
);
merchant.get('/balances', async (c) =>
  c.json({ balances: await sql.readBalances(pool, c.var.shop.shop_id) }),
);
app.route('/v1', merchant);
app.post('/callbacks/provider', async (c) => {
  const snapshot = readCallback(c.req.raw.headers, new Uint8Array(await c.req.arrayBuffer()));
  if (snapshot === undefined) throw new Problem('signature_invalid');
  await report(snapshot);
  return c.body(null, 204);
});
app.onError((error, c) => {
  const problem = error instanceof Problem ? error : new Problem('internal_error');
  if (problem !== error) process.stderr.write(`${error.stack}\n`);
  const { code, detail, errors } = problem;
  const { status, title } = problems[code];
  return c.json({ type: `about:blank#${code}`, title, status, code, detail, errors }, status, {
    'content-type': 'application/problem+json',
  });
});
listenOnPort(app);
