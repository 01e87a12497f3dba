import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperationEvent } from '../events.ts';
import { fold } from '../evolve.ts';
import { dueEntries } from './ledger-entries.ts';
import { applyReport } from '../reports/apply-report.ts';
import { isTerminal, type Operation } from '../state.ts';
import { given, leg, paid, started } from '../testing/given.ts';
import { histories } from '../testing/histories.ts';
import { plain, payout, requested, reserved, declined, acceptedBy } from '../testing/payouts.ts';

describe('ledger entries of a terminal status', () => {
  const running = [payout, started(1, plain), requested(), reserved(), acceptedBy()];
  const dueAfter = (...events: OperationEvent[]) => dueEntries(fold(events) as Operation);

  it('are not due before it', () => {
    expect(dueAfter(...running)).toEqual([]);
  });

  it('are a capture of the charged amount, or a release', () => {
    const { state } = given(...running)
      .when(applyReport, { attempt: 1, status: 'completed', legs: [leg('leg-1', '60.00')] })
      .thenEvents({
        type: 'OperationPartiallyCompleted',
        data: { ...paid('60.00', '1.50', '61.50'), legs: [leg('leg-1', '60.00')] },
      });
    const about = { reservation: 1, currency: 'RUB', reserved: '102.50' };
    expect(dueEntries(state as Operation)).toEqual([
      { kind: 'capture', ...about, recorded: '60.00', commission: '1.50' },
    ]);
    expect(dueAfter(...running, declined('provider'))).toEqual([{ kind: 'release', ...about }]);
  });

  it('release a reservation whose outcome is unknown', () => {
    expect(
      dueAfter(payout, started(1, plain), requested(), declined('acceptance_timeout')),
    ).toEqual([{ kind: 'release', reservation: 1, currency: 'RUB' }]);
  });

  it('close each reservation of any history once, with one capture if it has money (R12.7)', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        const state = fold(events);
        fc.pre(state.phase === 'admitted' && isTerminal(state.status));
        const { type, settled, reservations } = state;
        const due = dueEntries(state);
        const money = settled?.recorded_amount !== undefined ? 1 : 0;
        const kinds = due.map(({ kind }) => kind);
        const numbers = due.flatMap((entry) => ('reservation' in entry ? [entry.reservation] : []));
        expect(numbers).toEqual(reservations.map(({ reservation }) => reservation));
        expect(
          kinds.filter((kind) => kind === (type === 'payment' ? 'credit' : 'capture')),
        ).toHaveLength(money);
      }),
      { numRuns: 300 },
    );
  });
});
