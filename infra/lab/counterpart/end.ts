import { randomUUID } from 'node:crypto';
import { figuresFor } from '#shared/domain/commission.ts';
import { fromAmount, isZero, sum, toAmount, zero, type Amount } from '#shared/domain/money.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { WireSnapshot } from '#shared/application/providers/sandbox/wire.ts';
import { transaction, type On } from './database.ts';
import { isOver, webhookObject } from './operation-object.ts';
import * as sql from './statements.ts';

type End = Exclude<sql.CounterpartOperation['status'], 'new' | 'pending'>;

const endOf: Readonly<Record<Exclude<WireSnapshot['status'], 'open'>, End>> = {
  completed: 'completed',
  partially_completed: 'partially_completed',
  expired: 'expired',
  declined: 'declined',
  withdrawn: 'declined',
};

/** Applies a provider's report: a repeat adds nothing. @returns the row */
export const report = (snapshot: WireSnapshot): Promise<sql.CounterpartOperation | undefined> =>
  transaction(async (on) => {
    const { operation_id: id, acceptance, status, legs } = snapshot;
    const refused = acceptance === 'refused' || acceptance === 'void';
    if (status === 'open' && !refused) {
      if (acceptance === 'received') return undefined;
      const [row] = await sql.acceptOperation(
        on,
        id,
        snapshot.reference,
        snapshot.requisites ?? null,
      );
      if (row) await sql.addHistory(on, id, 'pending', snapshot);
      return row;
    }
    const [before] = await sql.lock(on, id);
    if (before === undefined || isOver(before)) return before;
    for (const leg of legs)
      await sql.addContribution(on, leg.leg_id, id, leg.amount, leg.completed_at);
    const paid = sum(legs.map(({ amount }) => amount));
    return finish(on, before, {
      status: status === 'open' ? 'declined' : endOf[status],
      paid,
      why: snapshot,
    });
  });

/** Cancels a payment without money, whatever the provider does. @throws Problem */
export const cancelPayment = (
  shop: sql.CounterpartShop,
  found: sql.CounterpartOperation,
  reason: string,
): Promise<object> =>
  transaction(async (on) => {
    if (found.type === 'payout') throw new Problem('cancel_payout_unsupported');
    const [before = found] = await sql.lock(on, found.operation_id);
    const after = isOver(before)
      ? before
      : await finish(on, before, { status: 'cancelled', paid: zero, why: { reason } });
    const { operation_id, type, status } = after;
    if (!isOver(before))
      await sql.addToOutbox(on, randomUUID(), 'withdraw', shop.shop_id, operation_id, '{}');
    const outcome = status === 'cancelled' ? 'cancelled' : 'already_terminal';
    return { outcome, operation: { operation_id, type, status } };
  });

/** Writes the end, its ledger entries and its webhook in one transaction. */
async function finish(
  on: On,
  before: sql.CounterpartOperation,
  { status, paid, why }: { status: End; paid: Amount; why: object },
): Promise<sql.CounterpartOperation> {
  const { operation_id: id, type, currency, commission_percent: percent } = before;
  const figures = figuresFor(paid, { type, currency, commission: { percent, fixed: zero } });
  const { settlement_amount: settled, commission_amount: commission } = figures;
  const [after] = await sql.end(on, id, status, paid, settled, commission);
  if (after === undefined) throw new Error(`operation ${id} is gone`);
  await sql.addHistory(on, id, status, why);
  const change = balanceChange(before, settled);
  if (change) await sql.book(on, before.shop_id, before.currency, id, ...change);
  await addWebhook(on, after);
  return after;
}

type Change = [kind: string, balance: Amount, reserved: Amount];

/** Credits a payment; returns the part of a payout's reservation that was not charged. */
function balanceChange(
  { type, settlement_amount: reserved }: sql.CounterpartOperation,
  settled: Amount,
): Change | undefined {
  if (type === 'payment') return isZero(settled) ? undefined : ['credit', settled, zero];
  const back = toAmount(fromAmount(reserved).minus(settled));
  return [isZero(settled) ? 'release' : 'capture', back, `-${reserved}`];
}

async function addWebhook(on: On, after: sql.CounterpartOperation): Promise<void> {
  const id = randomUUID();
  const body = JSON.stringify({
    id,
    type: `${after.type}.${after.status}`,
    timestamp: new Date().toISOString(),
    sequence: 1,
    data: { shop_id: after.shop_id, operation: webhookObject(after) },
  });
  await sql.addToOutbox(on, id, 'webhook', after.shop_id, after.operation_id, body);
  await sql.wakeWorker(on);
}
