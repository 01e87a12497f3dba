import type { Hono } from 'hono';
import { currencies } from '#shared/domain/currencies.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { LedgerPosition } from '#shared/application/ledger/types.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';

const rows = currencies.toSorted();

/**
 * GET /v1/balances (R12.4): one row a currency, in alphabetical order. Read from the newest entries
 * of the ledgers themselves: never older than anything already sent to the client, and without a
 * projection (R12.12). An entry is checked against the one before it; without an entry all is 0.00
 * (`shared/application/ledger/read-position.ts`).
 */
export function registerBalanceRoutes(
  app: Hono<MerchantEnv>,
  { current, logger }: Pick<MerchantDependencies, 'current' | 'logger'>,
): void {
  app.get(
    '/v1/balances',
    forScope('read', async (c) => {
      const { shopId } = c.get('shop');
      const positions = await Promise.all(
        rows.map((currency) => current.ledger(shopId, currency)),
      ).catch((cause: unknown) => {
        throw new Problem('accounting_unavailable', { detail: 'the ledger is unavailable', cause });
      });
      // All rows or none: with one wrong row, the other rows would look right.
      for (const position of positions) {
        if (position.outcome === 'consistent') continue;
        logger.error({ position, requestId: c.get('requestId') }, 'a ledger is inconsistent');
        throw new Problem('accounting_inconsistent');
      }
      const balances = positions.flatMap((position, at) => viewRow(position, rows[at]));
      return c.json({ balances });
    }),
  );
}

function viewRow(position: LedgerPosition, currency: string | undefined) {
  if (position.outcome !== 'consistent' || currency === undefined) return [];
  const { balance, currentMinus, reserved } = position;
  return [{ currency, balance, current_minus: currentMinus, reserved }];
}
