import type { WireReturn } from '#shared/application/providers/sandbox/wire.ts';
import { half, isZeroAmount, missingAmount, total } from './money.ts';
import { changed, type SandboxContext, type SubmittedAttempt } from './record.ts';

export type GivenReturn = { leg_id?: string | undefined; amount?: string | undefined };

/**
 * Returns money of a leg: by default of the newest one, and all that is left of it. A return of
 * more than came is allowed, to test the gateway. Undefined if there is no such leg, or nothing
 * left of it.
 */
export function sendMoneyBack(
  record: SubmittedAttempt,
  request: GivenReturn,
  now: SandboxContext,
): SubmittedAttempt | undefined {
  const { legs, returns = [] } = record;
  const leg =
    request.leg_id === undefined
      ? legs.at(-1)
      : legs.find(({ leg_id: id }) => id === request.leg_id);
  if (!leg) return undefined;
  const before = returns.filter(({ of_leg_id: of }) => of === leg.leg_id);
  const amount = request.amount ?? missingAmount(leg.amount, total(before));
  if (isZeroAmount(amount)) return undefined;
  const back: WireReturn = {
    leg_id: now.newId(),
    of_leg_id: leg.leg_id,
    amount,
    completed_at: new Date(now.nowMs).toISOString(),
  };
  return changed(record, { returns: [...returns, back] });
}

/** Returns money as the option `return_ms` says: once, after the money came. */
export function returnByItself(record: SubmittedAttempt, now: SandboxContext): SubmittedAttempt {
  const { returnAtMs: _, ...rest } = record;
  const [leg] = record.legs;
  if (!leg) return rest;
  const isHalf = record.submission.options.return_part === 'half';
  return (
    sendMoneyBack(rest, { leg_id: leg.leg_id, ...(isHalf && { amount: half(leg.amount) }) }, now) ??
    rest
  );
}

/** When received money is returned because of an option. */
export function returnAt(
  { submission, legs }: SubmittedAttempt,
  { nowMs }: SandboxContext,
): { returnAtMs?: number } {
  const { return_ms: afterMs } = submission.options;
  return afterMs === undefined || legs.length === 0 ? {} : { returnAtMs: nowMs + afterMs };
}
