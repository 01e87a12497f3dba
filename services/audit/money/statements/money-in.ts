import type { Entry } from '#shared/domain/ledger/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { EntryMoves } from '../ledger/facts.ts';
import { parseExactMinor } from '../../log/operation/exact-arithmetic.ts';
import type { OperationFacts } from '../../log/operation/fold.ts';
import { endPart, latePart, operationKey, type BookRecord } from './booked.ts';
import type { moneys } from './records.ts';

/** Money that an operation counts. */
export type OperationMoney = {
  attempt: number | undefined;
  leg: { leg_id: string; completed_at: string };
  /** For a return: the leg that it reverses. */
  ofLegId?: string | undefined;
  money: (typeof moneys)[number];
  amount: bigint;
  /**
   * The part of the books that has it; undefined: they have it already. Not dated: it reduces its
   * leg.
   */
  booked: { part: bigint; dated: boolean } | undefined;
  /** It is an operator's decision, not a transfer. */
  synthetic?: true | undefined;
};

/** An entry of the books. */
export type EntryPosting = {
  entry: Entry;
  moves: EntryMoves;
  envelope: Pick<EventEnvelope, 'event'>;
};

/**
 * The record of an entry that moves an operation's money, in its currency; undefined if it moves
 * none.
 */
export function entryRecord(
  facts: OperationFacts,
  { entry, moves, envelope }: EntryPosting,
): BookRecord | undefined {
  const of = {
    operation: operationKey(facts.operationId),
    account: 0,
    day: 0,
    position: envelope.event.position,
  };
  const moved = -(moves.get('provider') ?? 0n);
  if (entry.kind === 'suspense')
    return { ...of, what: 'booked', part: latePart(entry.leg_id, entry.of_leg_id), amount: moved };
  if (entry.kind !== 'credit' && entry.kind !== 'capture') return undefined;
  const { source, currency, kind } = entry;
  const own = source && parseExactMinor(source.amount) * (kind === 'credit' ? 1n : -1n);
  const hasAmount = own !== undefined || currency === facts.currency;
  return { ...of, what: hasAmount ? 'booked' : 'unknown', part: endPart, amount: own ?? moved };
}

const endBooking = { part: endPart, dated: true };

/** The money that an event adds to its operation, each leg with the amount before any return. */
export function moneyIn(facts: OperationFacts, { type, data }: OperationEvent): OperationMoney[] {
  if (type === 'LegReceived')
    return [
      {
        attempt: data.attempt,
        leg: data.leg,
        money: 'transfer',
        amount: parseExactMinor(data.leg.amount),
        booked: endBooking,
      },
    ];
  if (type === 'LegCorrected') {
    const amount = parseExactMinor(data.leg.amount) - parseExactMinor(data.was);
    return [
      { attempt: data.attempt, leg: data.leg, money: 'transfer', amount, booked: endBooking },
    ];
  }
  if (type === 'LegReturned') {
    const { attempt, returned, counted } = data;
    const of = {
      attempt,
      leg: returned,
      ofLegId: returned.of_leg_id,
      booked: { ...endBooking, dated: false },
    };
    return [{ ...of, money: 'return', amount: parseExactMinor(counted) }];
  }
  if (type !== 'OperationCompleted' && type !== 'OperationPartiallyCompleted') return [];
  const attempt = facts.accepted?.attempt;
  return data.legs.map((leg) => {
    const { synthetic, amount } = leg;
    return {
      attempt,
      leg,
      money: 'transfer',
      amount: parseExactMinor(amount),
      booked: endBooking,
      synthetic,
    };
  });
}
