import { randomUUID } from 'node:crypto';
import type { CreateBody } from '#shared/application/create-body/body.ts';
import { figuresFor } from '#shared/domain/commission.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import { zero } from '#shared/domain/money.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { hashBody } from '#shared/platform/ids.ts';
import { pool, transaction } from './database.ts';
import { report } from './end.ts';
import { counterpartOperation } from './operation-object.ts';
import * as provider from './provider.ts';
import * as sql from './statements.ts';

/**
 * Admits an operation, submits it to the provider, and records the answer: one transaction before
 * and one after.
 */
export async function create(
  shop: sql.CounterpartShop,
  type: OperationType,
  body: CreateBody,
): Promise<object> {
  const requestHash = hashBody({ ...body, type });
  const admitted = await admit(shop, { type, body, requestHash });
  if (admitted === undefined) return repeat(shop, body, requestHash);
  const { operation_id: id } = admitted;
  const { method, amount, currency, client_id, number } = body;
  const submission = { operation_id: id, type, method, amount, currency, client_id, number };
  // The worker polls the outcome of a call without an answer.
  const answer = await provider.submit(submission).catch(() => undefined);
  const taken = answer && (await report(answer));
  if (taken?.status === 'declined') throw new Problem('provider_not_accepted');
  // The operation was cancelled or completed during the call: its row has the outcome.
  return counterpartOperation(taken ?? (await sql.byId(pool, id, shop.shop_id))[0] ?? admitted);
}

type Admission = { type: OperationType; body: CreateBody; requestHash: string };

/** @returns undefined if the key is known already. @throws Problem insufficient_funds */
function admit(
  shop: sql.CounterpartShop,
  { type, body, requestHash }: Admission,
): Promise<sql.CounterpartOperation | undefined> {
  const { commission_percent: percent, shop_id: shopId } = shop;
  const { method, currency, amount, client_id, number, name } = body;
  const figures = figuresFor(amount, { type, currency, commission: { percent, fixed: zero } });
  const { settlement_amount: settlement, commission_amount: commission } = figures;
  const key = [
    randomUUID(),
    shopId,
    body.merchant_operation_id,
    requestHash,
    type,
    method,
    currency,
  ];
  const values = [amount, settlement, commission, percent, client_id, number ?? null, name ?? null];
  return transaction(async (on) => {
    const [row] = await sql.insertOperation(on, ...key, ...values);
    if (row === undefined) return undefined;
    if (type === 'payout') {
      const change = ['reserve', `-${settlement}`, settlement];
      const [entry] = await sql.book(on, shopId, currency, row.operation_id, ...change);
      if (entry === undefined) throw new Problem('insufficient_funds');
    }
    await sql.addHistory(on, row.operation_id, 'new', body);
    return row;
  });
}

async function repeat(
  shop: sql.CounterpartShop,
  body: CreateBody,
  requestHash: string,
): Promise<object> {
  const [found] = await sql.byKey(pool, body.merchant_operation_id, shop.shop_id);
  if (found?.request_hash !== requestHash) throw new Problem('idempotency_body_mismatch');
  return counterpartOperation(found);
}
