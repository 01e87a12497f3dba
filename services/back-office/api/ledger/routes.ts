import { z } from 'zod';
import { currencies } from '#shared/domain/currencies.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { readOperationEvents } from '#shared/application/operations/read-events.ts';
import { readEntries, readOperationEntries } from '#projections/ledger/read-entries.ts';
import { limitParameter, readQuery } from '../query.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { viewEntry } from './view.ts';

const balanceCurrencies = currencies.toSorted();
const entriesQuery = z.strictObject({
  cursor: z.string().max(20).optional(),
  limit: limitParameter,
});

/**
 * A shop's ledger for operators and auditors: the balances, each entry, and the entries of one
 * operation.
 */
export function registerLedger(
  app: AdminApp,
  { store, ledgers, db, logger }: AdminDependencies,
): void {
  // As the merchant sees them: from the log's newest entries.
  app.get('/admin/v1/shops/:shop_id/balances', async (c) => {
    const { shopId } = await readShop(store, readPathId(c.req.param('shop_id')));
    const balances = await Promise.all(
      balanceCurrencies.map(async (currency) => {
        const position = await fromStore(ledgers.position(shopId, currency));
        if (position.outcome === 'inconsistent') {
          logger.error({ position, requestId: c.get('requestId') }, 'a ledger is inconsistent');
          throw new Problem('accounting_inconsistent');
        }
        const { balance, currentMinus, reserved } = position;
        return { currency, balance, current_minus: currentMinus, reserved };
      }),
    );
    return c.json({ balances });
  });

  // From the log, newest first.
  app.get('/admin/v1/shops/:shop_id/ledger/:currency', async (c) => {
    const { shopId } = await readShop(store, readPathId(c.req.param('shop_id')));
    const currency = currencies.find((each) => each === c.req.param('currency'));
    if (currency === undefined)
      throw new Problem('not_found', { detail: 'the currency does not exist' });
    const { cursor, limit } = readQuery(c, entriesQuery);
    const ledger = { shopId, currency };
    const { events, nextCursor } = await readEntries(store, ledger, { cursor, limit });
    return c.json({ entries: events.map(viewEntry), next_cursor: nextCursor });
  });

  // Oldest first.
  app.get('/admin/v1/operations/:operation_id/ledger-entries', async (c) => {
    const operationId = c.req.param('operation_id').toLowerCase();
    await readOperationEvents(store, operationId);
    const entries = await readOperationEntries({ db, store }, operationId);
    return c.json({ entries: entries.map(viewEntry) });
  });
}
