import {
  decodeOperationEvent,
  type Leg,
  type OperationEvent,
} from '#shared/domain/operation/events.ts';
import { defineTable, type RowOf } from '../read-model.ts';
import type { RowChange } from '../rows/row-per-stream.ts';
import type { OperationRow } from './table.ts';

/** One transfer of an operation's money. */
export type LegRow = RowOf<typeof legsTable>;

export const legsTable = defineTable()({
  name: 'legs',
  comment:
    'One row per transfer of money that counts for an operation: they add up to its actual_amount. Money after the terminal status is in gateway.suspense.',
  primaryKey: ['operation_id', 'leg_id'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment: 'gateway.operations.operation_id (filled in the same transaction)',
    },
    leg_id: { type: 'text not null', comment: "The provider's id of the transfer" },
    attempt: { type: 'integer', comment: 'The attempt of the transfer' },
    provider: { type: 'text', comment: 'The provider that reported it' },
    currency: { type: 'text not null', comment: 'Of amount: the currency of the operation' },
    amount: {
      type: 'numeric(38,2) not null',
      comment:
        'Amount of the transfer, less money returned before the terminal status; 0.00 if all of it was',
    },
    completed_at: { type: 'timestamptz not null', comment: 'Time of the transfer at the provider' },
    file: { type: 'boolean not null', comment: 'The provider has a file as evidence' },
    synthetic: {
      type: 'boolean not null',
      comment: "From an operator's approval, without a transfer reported by a provider",
    },
    recorded_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    position: {
      type: 'bigint not null',
      comment: 'Position in the log of the event that recorded it',
    },
  },
  indexes: [{ on: 'leg_id' }, { on: 'completed_at', using: 'brin' }],
});

/** Money of a leg that was returned before the operation's end. */
type ReturnedLegRow = RowOf<typeof returnedLegsTable>;

export const returnedLegsTable = defineTable()({
  name: 'returned_legs',
  comment:
    'One row per return of money before the operation’s terminal status. Later returns are in gateway.suspense.',
  primaryKey: ['operation_id', 'leg_id'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment: 'gateway.operations.operation_id (filled in the same transaction)',
    },
    leg_id: { type: 'text not null', comment: "The provider's id of the return" },
    of_leg_id: {
      type: 'text not null',
      comment: 'The original leg: gateway.legs.leg_id',
    },
    attempt: { type: 'integer', comment: 'The attempt of the leg' },
    provider: { type: 'text', comment: 'The provider that reported it' },
    currency: { type: 'text not null', comment: 'Of amount: the currency of the operation' },
    amount: {
      type: 'numeric(38,2) not null',
      comment:
        'Amount subtracted from gateway.legs.amount. Any excess over the leg is in gateway.suspense',
    },
    completed_at: { type: 'timestamptz not null', comment: 'Time of the return at the provider' },
    recorded_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    position: {
      type: 'bigint not null',
      comment: 'Position in the log of the event that recorded it',
    },
  },
  indexes: [{ on: 'leg_id' }, { on: 'of_leg_id' }, { on: 'completed_at' }],
});

/** The legs of an event, as they are after it. */
function legsIn({ type, data }: OperationEvent): { attempt?: number; legs: readonly Leg[] } {
  if (type === 'LegReceived' || type === 'LegCorrected')
    return { attempt: data.attempt, legs: [data.leg] };
  if (type === 'LegReturned') return { attempt: data.attempt, legs: data.leg ? [data.leg] : [] };
  return { legs: 'legs' in data ? data.legs : [] };
}

/** The rows of legs that a batch adds or changes. */
export function projectLegs(changes: readonly RowChange<OperationRow>[]): LegRow[] {
  const rows = changes.flatMap(({ before, after, event: stored }) => {
    const corrects = stored.type === 'LegCorrected' || stored.type === 'LegReturned';
    if (!before || (before.legs_count === after.legs_count && !corrects)) return [];
    const accepted = after.attempts.find(({ outcome }) => outcome === 'accepted')?.attempt;
    const { attempt = accepted, legs } = legsIn(decodeOperationEvent(stored));
    return legs.map((leg) => ({
      operation_id: after.operation_id,
      leg_id: leg.leg_id,
      attempt: attempt ?? null,
      provider: after.attempts.find((each) => each.attempt === attempt)?.provider ?? null,
      currency: after.currency,
      amount: leg.amount,
      completed_at: new Date(leg.completed_at),
      file: leg.file,
      synthetic: leg.synthetic ?? false,
      recorded_at: stored.created,
      position: stored.position.toString(),
    }));
  });
  // The newest version of each: a leg may come and be corrected in one batch.
  return [...new Map(rows.map((row) => [`${row.operation_id} ${row.leg_id}`, row])).values()];
}

/** The rows of returns that a batch adds. */
export function projectReturns(changes: readonly RowChange<OperationRow>[]): ReturnedLegRow[] {
  return changes.flatMap(({ after, event: stored }) => {
    if (stored.type !== 'LegReturned') return [];
    const { type, data } = decodeOperationEvent(stored);
    if (type !== 'LegReturned') return [];
    const { attempt, returned, counted } = data;
    return [
      {
        operation_id: after.operation_id,
        leg_id: returned.leg_id,
        of_leg_id: returned.of_leg_id,
        attempt,
        provider: after.attempts.find((each) => each.attempt === attempt)?.provider ?? null,
        currency: after.currency,
        amount: counted,
        completed_at: new Date(returned.completed_at),
        recorded_at: stored.created,
        position: stored.position.toString(),
      },
    ];
  });
}
