import { sql } from 'kysely';
import { createHttpClient } from '#shared/platform/http-client/client.ts';
import { sendJson } from '#infra/lab/targets/send-json.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { figuresFor } from '#shared/domain/commission.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { hashApiKey } from '#shared/application/credentials.ts';
import { hashBody, newId } from '#shared/platform/ids.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { createBodySchema } from '#shared/application/create-body/body.ts';
import { createPlainApp, listenOnPort, variable } from '#infra/lab/targets/serve.ts';

/**
 * The gateway's work for a payment, done the usual way in PostgreSQL: the admission in one
 * transaction, the provider's call, the outcome and an outbox row in another.
 */
type Tables = {
  operations: {
    operation_id: string;
    shop_id: string;
    merchant_operation_id: string;
    body_hash: string;
    request: string;
    status: string;
    accept_until: Date;
    provider_reference: string | null;
    requisites: string | null;
  };
  outbox: { id: string; operation_id: string; type: string; data: string };
};

const db = connectDatabase<Tables>(variable('DATABASE_URL'), {
  applicationName: 'bench-gateway',
  maxConnections: Number(process.env['CONNECTIONS'] ?? 16),
});
await sql`create table if not exists operations (
  operation_id uuid primary key, shop_id text not null, merchant_operation_id text not null, body_hash text not null,
  request jsonb not null, status text not null, accept_until timestamptz not null, provider_reference text,
  requisites jsonb, unique (shop_id, merchant_operation_id))`.execute(db);
await sql`create table if not exists outbox (
  id uuid primary key, operation_id uuid not null, type text not null, data jsonb not null,
  created_at timestamptz not null default now())`.execute(db);

const provider = createHttpClient(variable('PROVIDER_URL'), { maxConnections: 512 });
const secret = Buffer.from('ab'.repeat(32), 'hex');
const commission = { percent: '2.50', fixed: '0.00' };
const app = createPlainApp();

app.post('/v1/payment', async (c) => {
  const shopId = hashApiKey(c.req.header('x-api-key') ?? '');
  const body = validate(createBodySchema, await c.req.json());
  const operationId = operationIdFor(secret, body.merchant_operation_id);
  await db.transaction().execute(async (transaction) => {
    const inserted = await transaction
      .insertInto('operations')
      .values({
        operation_id: operationId,
        shop_id: shopId,
        merchant_operation_id: body.merchant_operation_id,
        body_hash: hashBody(body),
        request: JSON.stringify(body),
        status: 'creating',
        accept_until: new Date(Date.now() + 15_000),
        provider_reference: null,
        requisites: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('operation_id')
      .executeTakeFirst();
    if (!inserted) throw new Error('a repeat');
  });
  const answer = await sendJson(provider, {
    method: 'PUT',
    path: `/v1/attempts/${operationId}.1`,
    headers: {},
    body: JSON.stringify(body),
  });
  const { reference, requisites } = JSON.parse(answer.body.toString('utf8')) as {
    reference: string;
    requisites: object;
  };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('operations')
      .set({
        status: 'pending',
        provider_reference: reference,
        requisites: JSON.stringify(requisites),
      })
      .where('operation_id', '=', operationId)
      .where('status', '=', 'creating')
      .execute();
    const data = JSON.stringify({ attempt: 1, provider_reference: reference, requisites });
    await transaction
      .insertInto('outbox')
      .values({ id: newId(), operation_id: operationId, type: 'AttemptAccepted', data })
      .execute();
  });
  const figures = figuresFor(body.amount, { type: 'payment', commission });
  return c.json({ operation_id: operationId, status: 'pending', ...figures, ...requisites });
});

listenOnPort(app);
