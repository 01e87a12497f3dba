import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTerminalEventType, type OperationEvent } from './events.ts';
import { fold } from './evolve.ts';
import type { Operation } from './state.ts';
import { histories } from './testing/histories.ts';
import { viewOperation } from './view.ts';

describe('any history of an operation', () => {
  it('has at most one terminal event, followed only by withdrawals of attempts (R6.3)', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        const ends = events.findIndex(({ type }) => isTerminalEventType(type));
        const after = ends < 0 ? [] : events.slice(ends + 1).map(({ type }) => type);
        expect(after.filter((type) => type !== 'AttemptWithdrawn')).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('does not change for the merchant after its terminal status', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        const end = events.findIndex(({ type }) => isTerminalEventType(type));
        fc.pre(end >= 0);
        const ended = fold(events.slice(0, end + 1)) as Operation;
        const withdrawals = ended.attempts.map(({ attempt }): OperationEvent => ({
          type: 'AttemptWithdrawn',
          data: { attempt },
        }));
        expect(viewOperation(fold(withdrawals, ended) as Operation)).toEqual(viewOperation(ended));
      }),
      { numRuns: 150 },
    );
  });

  it('never has a payout accepted before its funds are reserved (R12.6)', () => {
    fc.assert(
      fc.property(histories, ({ create: { type }, events }) => {
        const first = (expectedType: string) =>
          events.findIndex((event) => event.type === expectedType);
        fc.pre(type === 'payout' && first('AttemptAccepted') >= 0);
        expect(first('FundsReserved')).toBeGreaterThan(first('ReservationRequested'));
        expect(first('AttemptAccepted')).toBeGreaterThan(first('FundsReserved'));
      }),
      { numRuns: 150 },
    );
  });
});
