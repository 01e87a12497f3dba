import type { CreateStep } from '#shared/domain/operation/attempts/create-step.ts';
import type { Shortfall } from '#shared/domain/operation/payout-funds/record.ts';
import { whyReserved } from '#shared/domain/operation/due-steps/ledger-entry-why.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { LedgerInconsistent } from '#shared/application/ledger/memory.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { stepMs } from './deadlines.ts';

type Payout = {
  operation: Operation;
  /** The log position of the admission: the entry comes after it. */
  admittedAt: bigint;
  shop: Shop;
  deadlineMs: number;
  origin: Origin;
};

/**
 * Reserves a payout's funds in the ledger, after releasing what an earlier route had reserved on
 * other terms. `ended`: the reservation was closed before it was made, because the operation ended.
 * @throws Problem accounting_inconsistent if the ledger is inconsistent; the processor ends the
 * operation
 */
export async function reserveFunds(
  ledgers: Ledgers,
  { operation, admittedAt, shop, deadlineMs, origin }: Payout,
  { reservation, release }: Extract<CreateStep, { step: 'reserve' }>,
): Promise<'reserved' | Shortfall | 'ended' | 'undecided'> {
  const { shopId } = shop;
  const post: Ledgers['post'] = (request) =>
    ledgers.post(request).catch((cause: unknown) => {
      throw cause instanceof LedgerInconsistent
        ? new Problem('accounting_inconsistent', { cause })
        : cause;
    });
  const about = {
    shopId,
    operationId: operation.operationId,
    dueSince: admittedAt,
    origin,
    deadlineMs: Math.max(1, Math.min(stepMs, deadlineMs - Date.now())),
  };
  const released = await Promise.all(
    release.map(({ reservation: number, currency, amount, noted, fxRate }) =>
      post({
        ...about,
        kind: 'release',
        currency,
        reservation: number,
        ...(noted && { reserved: amount }),
        why: whyReserved(operation, {
          reservation: number,
          ...(fxRate !== undefined && { fxRate }),
        }),
      }),
    ),
  );
  if (released.some(({ outcome }) => outcome === 'undecided')) return 'undecided';
  const { currency, amount } = reservation;
  const limit =
    shop.settings.overdraft_limits[currency as keyof typeof shop.settings.overdraft_limits];
  const reserved = await post({
    ...about,
    kind: 'reserve',
    currency,
    reservation: reservation.reservation,
    amount,
    why: whyReserved(operation, reservation),
    overdraftLimit: limit,
  });
  if (reserved.outcome === 'posted') return 'reserved';
  if (reserved.outcome === 'undecided') return 'undecided';
  if (reserved.code !== 'insufficient_funds') return 'ended';
  if (reserved.balance === undefined || limit === undefined)
    throw new Error('overdraft refusal without balance');
  return { currency, balance: reserved.balance, limit, need: amount };
}
