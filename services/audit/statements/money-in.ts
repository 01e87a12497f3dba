import type { Entry } from '#shared/domain/ledger/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { Seen } from '../findings/accuse.ts';
import type { Moves } from '../ledger/facts.ts';
import { minorOf } from '../operation/exact.ts';
import type { OperationFacts } from '../operation/fold.ts';
import { endPart, latePart, operationKey, type BookRecord } from './booked.ts';
import type { moneys } from './records.ts';

/** Money that an operation counts. */
export type Counted = {
  attempt: number | undefined;
  leg: { leg_id: string; completed_at: string };
  /** Of what went back. */
  ofLegId?: string | undefined;
  money: (typeof moneys)[number];
  amount: bigint;
  /**
   * With which entry the books have it; undefined: they have it already. Not dated: it is taken off
   * its leg.
   */
  booked: { part: bigint; dated: boolean } | undefined;
  /** An operator's word stands for it, and no transfer. */
  synthetic?: true | undefined;
};

/** An entry of the books. */
export type Posted = { entry: Entry; moves: Moves; seen: Pick<Seen, 'event'> };

/**
 * What the books have of an operation's money, in its currency, where the entry brings or takes
 * some.
 */
export function entryRecord(
  facts: OperationFacts,
  { entry, moves, seen }: Posted,
): BookRecord | undefined {
  const of = {
    operation: operationKey(facts.operationId),
    account: 0,
    day: 0,
    position: seen.event.position,
  };
  const moved = -(moves.get('provider') ?? 0n);
  if (entry.kind === 'suspense')
    return { ...of, what: 'booked', part: latePart(entry.leg_id, entry.of_leg_id), amount: moved };
  if (entry.kind !== 'credit' && entry.kind !== 'capture') return undefined;
  const { source, currency, kind } = entry;
  const own = source && minorOf(source.amount) * (kind === 'credit' ? 1n : -1n);
  const known = own !== undefined || currency === facts.currency;
  return { ...of, what: known ? 'booked' : 'unknown', part: endPart, amount: own ?? moved };
}

const whole = { part: endPart, dated: true };

/**
 * What an event of an operation adds to the money that it counts, each leg before anything of it
 * went back.
 */
export function moneyIn(facts: OperationFacts, { type, data }: OperationEvent): Counted[] {
  if (type === 'LegReceived')
    return [
      {
        attempt: data.attempt,
        leg: data.leg,
        money: 'transfer',
        amount: minorOf(data.leg.amount),
        booked: whole,
      },
    ];
  if (type === 'LegCorrected') {
    const amount = minorOf(data.leg.amount) - minorOf(data.was);
    return [{ attempt: data.attempt, leg: data.leg, money: 'transfer', amount, booked: whole }];
  }
  if (type === 'LegReturned') {
    const { attempt, returned, counted } = data;
    const of = {
      attempt,
      leg: returned,
      ofLegId: returned.of_leg_id,
      booked: { ...whole, dated: false },
    };
    return [{ ...of, money: 'return', amount: minorOf(counted) }];
  }
  if (type !== 'OperationCompleted' && type !== 'OperationPartiallyCompleted') return [];
  const attempt = facts.accepted?.attempt;
  return data.legs.map((leg) => {
    const { synthetic, amount } = leg;
    return { attempt, leg, money: 'transfer', amount: minorOf(amount), booked: whole, synthetic };
  });
}
