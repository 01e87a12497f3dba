import type { WireLeg } from '#shared/application/providers/sandbox/wire.ts';
import { acceptAttempt, refuseAttempt } from './acceptance.ts';
import { half, isZeroAmount, missingAmount, reaches, total } from './money.ts';
import { changed, type SandboxContext, type SubmittedAttempt } from './record.ts';
import { returnAt } from './returns.ts';

export type GivenLeg = { amount: string; file: boolean };
export type Settle = {
  result: 'completed' | 'declined' | 'expired' | 'partial';
  legs?: readonly GivenLeg[] | undefined;
};

/**
 * Ends an attempt as the command says, even one that has ended: a provider that contradicts itself
 * is one of the cases to test. Legs add to earlier ones, and reaching the expected amount completes
 * the attempt.
 */
export function settle(
  record: SubmittedAttempt,
  { result, legs }: Settle,
  now: SandboxContext,
): SubmittedAttempt {
  const moneyless = result === 'declined' || result === 'expired';
  // An undecided attempt (`error`, `hang`) is refused now.
  if (record.acceptance === 'received' && moneyless && !legs) return refuseAttempt(record, result);
  const accepted = ensureAccepted(record, now);
  const expected = record.submission.body.amount;
  const added = legs ?? impliedLegs(accepted, result);
  const all = [...accepted.legs, ...toLegs(added, now)];
  const reached = reaches(total(all), expected);
  const completes = reached && (!moneyless || added.length > 0);
  return changed(accepted, {
    legs: all,
    status: completes ? 'completed' : moneyless ? result : 'partially_completed',
  });
}

/** Money in part; reaching the expected amount completes an open attempt. */
export function addLeg(
  record: SubmittedAttempt,
  leg: GivenLeg,
  now: SandboxContext,
): SubmittedAttempt {
  const accepted = ensureAccepted(record, now);
  const legs = [...accepted.legs, ...toLegs([leg], now)];
  const completes =
    accepted.status === 'open' && reaches(total(legs), record.submission.body.amount);
  return changed(accepted, { legs, ...(completes && { status: 'completed' }) });
}

/** Money that does not change the attempt's status. */
export function addLateMoney(
  record: SubmittedAttempt,
  amount: string,
  now: SandboxContext,
): SubmittedAttempt {
  const accepted = ensureAccepted(record, now);
  return changed(accepted, { legs: [...accepted.legs, ...toLegs([{ amount, file: true }], now)] });
}

/** Corrects a leg to another amount, or removes it. Undefined if there is no such leg. */
export function correctLeg(
  record: SubmittedAttempt,
  { leg_id: legId, amount }: { leg_id: string; amount?: string | undefined },
): SubmittedAttempt | undefined {
  if (!record.legs.some((leg) => leg.leg_id === legId)) return undefined;
  const legs = record.legs.flatMap((leg) =>
    leg.leg_id !== legId ? [leg] : amount === undefined ? [] : [{ ...leg, amount }],
  );
  return changed(record, { legs });
}

/** The payable window ran out. A receipt under review keeps the attempt open. */
export function expireAttempt(record: SubmittedAttempt): SubmittedAttempt {
  const underReview = record.review?.state === 'waiting' || record.review?.state === 'flagged';
  if (record.status !== 'open' || record.expiresAt === undefined || underReview) return record;
  return changed(record, { status: 'expired' });
}

/**
 * Ends the attempt by its timer; a payout also if its submission was never answered, because the
 * money was sent anyway.
 */
export function autopilot(record: SubmittedAttempt, now: SandboxContext): SubmittedAttempt {
  const may = record.acceptance === 'accepted' || record.submission.body.type === 'payout';
  if (record.status !== 'open' || !may) return record;
  // Attempts that were stored before this option existed complete.
  const settled = settle(
    record,
    { result: record.submission.options.autopilot_result ?? 'completed' },
    now,
  );
  return { ...settled, ...returnAt(settled, now) };
}

/** The legs that bring an attempt's total to `amount`. */
export function legsUpTo(record: SubmittedAttempt, amount: string): GivenLeg[] {
  const lacking = missingAmount(amount, total(record.legs));
  return isZeroAmount(lacking) ? [] : [{ amount: lacking, file: true }];
}

export function toLegs(legs: readonly GivenLeg[], { nowMs, newId }: SandboxContext): WireLeg[] {
  const completed_at = new Date(nowMs).toISOString();
  return legs.map(({ amount, file }) => ({ leg_id: newId(), amount, completed_at, file }));
}

/**
 * The total of a command without legs: the missing amount; for `partial` what has come, else half.
 */
function impliedLegs(record: SubmittedAttempt, result: Settle['result']): GivenLeg[] {
  const expected = record.submission.body.amount;
  if (result === 'declined' || result === 'expired') return [];
  if (result === 'completed') return legsUpTo(record, expected);
  if (record.legs.length > 0) return [];
  const part = half(expected);
  return [{ amount: isZeroAmount(part) ? expected : part, file: true }];
}

const ensureAccepted = (record: SubmittedAttempt, now: SandboxContext): SubmittedAttempt =>
  record.acceptance === 'received' ? acceptAttempt(record, now) : record;
