import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { moved } from '#shared/domain/ledger/position.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { adjust } from '#shared/application/ledger/adjust.ts';
import { adjustmentBody, adjustmentRules } from './body.ts';

/** Top-ups, withdrawals and corrections (R12.14). */
export function registerAdjustments(app: AdminApp, { store, ledgers }: AdminDependencies): void {
  app.post('/admin/v1/shops/:shop_id/adjustments', async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const body = validate(adjustmentBody, await readJson(c), adjustmentRules);
    await readShop(store, shopId);
    const request = { shop_id: shopId, ...body };
    const { revision, repeated } = await adjust({ store, ledgers }, request, operatorOrigin(c));
    // Read back, because later reads show the log's time.
    const stream = ledgerStream(shopId, body.currency);
    const [event] = await fromStore(store.read(stream, { fromRevision: revision, maxCount: 1 }));
    if (!event) throw new Error(`${stream} has no revision ${revision}`);
    return c.json(viewAdjustment(event), repeated ? 200 : 201);
  });
}

function viewAdjustment(event: StoredEvent) {
  const entry = decodeLedgerEvent(event).data;
  if (entry.kind !== 'adjustment')
    throw new Error(`${event.stream} ${event.revision} is no adjustment`);
  return {
    adjustment_id: entry.adjustment_id,
    entry_id: event.id,
    shop_id: entry.shop_id,
    currency: entry.currency,
    amount: fromMinor(moved(entry, 'balance')),
    reason: entry.reason,
    balance: entry.balance_after,
    reserved: entry.reserved_after,
    operator: event.metadata.actor.replace(/^operator:/, ''),
    created_at: event.created.toISOString(),
  };
}
