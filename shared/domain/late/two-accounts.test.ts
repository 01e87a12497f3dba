import { describe, expect, it } from 'vitest';
import type { OperationEvent, ReturnedMoney } from '../operation/events.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import { leg } from '../operation/testing/given.ts';
import { accountBalances } from './testing/account-balances.ts';
import { atTwoProviders as two, cascade, live } from './testing/two-attempts.ts';

/** The late facts, the operation and the accounts after these reports. */
function after(begun: readonly OperationEvent[], reports: readonly Partial<ProviderReport>[]) {
  const { operation, lateEvents } = live(begun, reports);
  const facts = lateEvents.flatMap(({ type, data }) =>
    type === 'DifferenceReported'
      ? [[type, data.attempt, data.corrects, data.counted_amount, data.reported_amount]]
      : 'leg' in data
        ? [[type, data.attempt, data.leg.leg_id, data.leg.amount]]
        : [],
  );
  const providerIds = lateEvents.map(
    ({ data }) => 'provider_leg_id' in data && data.provider_leg_id,
  );
  return { operation, facts, providerIds, books: accountBalances(operation, lateEvents) };
}

const paid = { attempt: 2, status: 'completed', legs: [leg('x', '100.00')] } as const;
const paidFirst = { attempt: 1, status: 'completed', legs: [leg('x', '60.00')] } as const;

describe('leg of another provider with the same id', () => {
  it('is recorded once as separate money, in either order (R13.2)', () => {
    const own = after(two, [paid, paidFirst, paidFirst, paid]);
    expect(own.facts).toEqual([['LateMoneyReceived', 1, 'x', '60.00']]);
    expect(own.books.suspense).toBe(6_000n);
    const late = after(two, [paidFirst, paid, paid, paidFirst]);
    expect(late.facts).toEqual([['LateMoneyReceived', 1, 'x', '60.00']]);
    expect(late.operation).toMatchObject({ status: 'completed', legs: [{ amount: '100.00' }] });
    expect(late.books).toEqual(own.books);
  });

  it('is separate after the terminal status, as are returns', () => {
    const back: ReturnedMoney = { ...leg('x', '5.00'), of_leg_id: 'x' };
    const ended = { ...paid, legs: [leg('y', '100.00')] };
    const both = { ...ended, legs: [...ended.legs, leg('x', '1.00')], returns: [back] };
    const { facts, books } = after(two, [ended, { ...paidFirst, returns: [back] }, both, both]);
    expect(facts).toEqual([
      ['LateMoneyReceived', 1, 'x', '60.00'],
      ['MoneyReturned', 1, 'x', '5.00'],
      ['LateMoneyReceived', 2, '2:x', '1.00'],
      ['MoneyReturned', 2, '2:x', '5.00'],
    ]);
    expect(books.suspense).toBe(6_000n + 100n - 1_000n);
  });

  it('is recorded with its provider’s own id', () => {
    const ended = { ...paid, legs: [leg('y', '100.00')] };
    const both = { ...ended, legs: [...ended.legs, leg('x', '1.00'), leg('2:x', '2.00')] };
    const { facts, providerIds } = after(two, [ended, paidFirst, both, both]);
    expect(facts).toEqual([
      ['LateMoneyReceived', 1, 'x', '60.00'],
      ['LateMoneyReceived', 2, '2:x', '1.00'],
      ['LateMoneyReceived', 2, '2:2:x', '2.00'],
    ]);
    expect(providerIds).toEqual([false, 'x', '2:x']);
  });

  it('is the same money if both attempts use one account', () => {
    const one = cascade({ provider: 'one' }, { provider: 'one', account: 'default' });
    expect(after(one, [paid, paidFirst]).facts).toEqual([]);
    const accounts = cascade({ provider: 'one' }, { provider: 'one', account: 'second' });
    expect(after(accounts, [paid, paidFirst]).facts).toHaveLength(1);
  });
});

describe('return of another provider with the same id', () => {
  const back = (of: string, amount: string): ReturnedMoney => ({
    ...leg('r', amount),
    of_leg_id: of,
  });
  const first = {
    attempt: 1,
    status: 'open',
    legs: [leg('a', '60.00')],
    returns: [back('a', '60.00')],
  } as const;
  const open = { attempt: 2, status: 'open', legs: [leg('b', '50.00')] } as const;

  it('is late money by the amount that no leg of the operation covers (R13.7)', () => {
    const over = { ...open, returns: [back('b', '60.00')] };
    const { facts, operation, books } = after(two, [first, over, over, first]);
    expect(facts).toEqual([
      ['LateMoneyReceived', 1, 'a', '60.00'],
      ['MoneyReturned', 1, 'r', '60.00'],
      ['MoneyReturned', 2, '2:r', '10.00'],
    ]);
    expect(operation).toMatchObject({ returns: [{ legId: 'r', counted: '50.00' }] });
    expect(books.suspense).toBe(-1_000n);
  });
});
