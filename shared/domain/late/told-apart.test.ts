import { describe, expect, it } from 'vitest';
import { fold } from '../operation/evolve.ts';
import type { OperationEvent, Returned } from '../operation/events.ts';
import { applyReport } from '../operation/reports/apply-report.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import type { Operation } from '../operation/state.ts';
import { accepted, admitted, leg, route, started } from '../operation/testing/given.ts';
import type { LateEvent } from './events.ts';
import { evolveLate, nothingLate, recordLate } from './record.ts';
import { booksOf } from './testing/books.ts';

const unresolved = (attempt: number): OperationEvent => ({
  type: 'AttemptUnresolved',
  data: { attempt, cause: 'timeout' },
});
/** The first attempt hangs, the second is accepted elsewhere. */
const cascade = (first: object, second: object): OperationEvent[] => [
  admitted(),
  started(1, route(first)),
  unresolved(1),
  started(2, route(second)),
  accepted(2),
];
const two = cascade({ provider: 'one' }, { provider: 'other' });

function live(begun: OperationEvent[], reports: readonly Partial<ProviderReport>[]) {
  let operation = fold(begun) as Operation;
  let late = nothingLate;
  const lateEvents: LateEvent[] = [];
  for (const told of reports) {
    const report: ProviderReport = { attempt: 2, status: 'open', legs: [], ...told };
    const taken = applyReport(operation, report);
    operation = fold(taken.events, operation) as Operation;
    const { events } = recordLate(late, { operation, report, facts: taken.late });
    lateEvents.push(...events);
    late = events.reduce(evolveLate, late);
  }
  const facts = lateEvents.flatMap(({ type, data }) =>
    'leg' in data
      ? [[type, data.attempt, data.leg.leg_id, data.leg.amount]]
      : type === 'LateLegCorrected'
        ? [[type, data.attempt, data.leg_id, data.counted_amount, data.reported_amount]]
        : [],
  );
  return { operation, facts, books: booksOf(operation, lateEvents) };
}

const paid = { attempt: 2, status: 'completed', legs: [leg('x', '100.00')] } as const;
const paidFirst = { attempt: 1, status: 'completed', legs: [leg('x', '60.00')] } as const;

describe('a leg of another provider by the same id', () => {
  it('is money of its own, once, whichever comes first (R13.2)', () => {
    const own = live(two, [paid, paidFirst, paidFirst, paid]);
    expect(own.facts).toEqual([['LateMoneyReceived', 1, '1:x', '60.00']]);
    expect(own.books.suspense).toBe(6_000n);
    const late = live(two, [paidFirst, paid, paid, paidFirst]);
    expect(late.facts).toEqual([['LateMoneyReceived', 1, 'x', '60.00']]);
    expect(late.operation).toMatchObject({ status: 'completed', legs: [{ amount: '100.00' }] });
    expect(late.books).toEqual(own.books);
  });

  it('is so after the end, too, and in what went back', () => {
    const back: Returned = { ...leg('x', '5.00'), of_leg_id: 'x' };
    const ended = { ...paid, legs: [leg('y', '100.00')] };
    const both = { ...ended, legs: [...ended.legs, leg('x', '1.00')], returns: [back] };
    const { facts, books } = live(two, [ended, { ...paidFirst, returns: [back] }, both, both]);
    expect(facts).toEqual([
      ['LateMoneyReceived', 1, 'x', '60.00'],
      ['MoneyReturned', 1, 'x', '5.00'],
      ['LateMoneyReceived', 2, '2:x', '1.00'],
      ['MoneyReturned', 2, '2:x', '5.00'],
    ]);
    expect(books.suspense).toBe(6_000n + 100n - 1_000n);
  });

  it('is corrected as its own', () => {
    const told = (version: number, amount: string) => ({
      ...paidFirst,
      version,
      legs: [leg('x', amount)],
    });
    const mended = { ...paid, version: 2, legs: [leg('x', '90.00')] };
    expect(live(two, [{ ...paid, version: 1 }, told(1, '60.00'), told(2, '6.00')]).facts).toEqual([
      ['LateMoneyReceived', 1, '1:x', '60.00'],
      ['LateLegCorrected', 1, '1:x', '60.00', '6.00'],
    ]);
    expect(
      live(two, [told(1, '60.00'), { ...paid, version: 1 }, mended, mended, told(2, '6.00')]).facts,
    ).toEqual([
      ['LateMoneyReceived', 1, 'x', '60.00'],
      ['LateLegCorrected', 2, 'x', '100.00', '90.00'],
      ['LateLegCorrected', 1, 'x', '60.00', '6.00'],
    ]);
  });

  it('is the same money where both attempts are at one account', () => {
    const one = cascade({ provider: 'one' }, { provider: 'one', account: 'default' });
    expect(live(one, [paid, paidFirst]).facts).toEqual([]);
    const accounts = cascade({ provider: 'one' }, { provider: 'one', account: 'second' });
    expect(live(accounts, [paid, paidFirst]).facts).toHaveLength(1);
  });
});
