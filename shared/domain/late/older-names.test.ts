import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReturnedMoney } from '../operation/events.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import { leg } from '../operation/testing/given.ts';
import type { LateEvent } from './events.ts';
import { accountBalances } from './testing/account-balances.ts';
import {
  continueWithCurrentVersion,
  historyOfPreviousVersion,
} from './testing/previous-version.ts';
import { atTwoProviders as two, cascade, live } from './testing/two-attempts.ts';

const backOf = (id: string, of: string, amount: string): ReturnedMoney => ({
  ...leg(id, amount),
  of_leg_id: of,
});
const paid: ProviderReport = { attempt: 2, status: 'completed', legs: [leg('x', '100.00')] };
const first: ProviderReport = { attempt: 1, status: 'completed', legs: [leg('x', '60.00')] };

const legIdsIn = (events: readonly LateEvent[]) =>
  events.flatMap(({ data }) =>
    'leg' in data ? data.leg.leg_id : 'leg_id' in data ? data.leg_id : [],
  );

describe('late money whose id an older version prefixed with its attempt (R13.2)', () => {
  it('is recognised when its report is repeated (R13.2)', () => {
    const before = historyOfPreviousVersion(two, [paid, first]);
    expect(legIdsIn(before.written)).toEqual(['1:x']);
    expect(before.written[0]?.data).not.toHaveProperty('provider_leg_id');
    expect(continueWithCurrentVersion(before, [first, paid]).events).toEqual([]);
    expect(accountBalances(before.operation, before.read).suspense).toBe(6_000n);
  });

  it('is corrected by a report with the provider’s id', () => {
    const reported = (version: number, amount: string) => ({
      ...first,
      version,
      legs: [leg('x', amount)],
    });
    const before = historyOfPreviousVersion(two, [paid, reported(1, '60.00')]);
    const { events } = continueWithCurrentVersion(before, [
      reported(2, '60.00'),
      reported(3, '6.00'),
      reported(4, '6.00'),
    ]);
    expect(events).toMatchObject([
      {
        type: 'DifferenceReported',
        data: {
          corrects: '1:x',
          leg: { amount: '-54.00' },
          provider_leg_id: 'x',
          counted_amount: '60.00',
          reported_amount: '6.00',
        },
      },
    ]);
  });

  it('is recognised if it is a return', () => {
    const reported = (version: number, amount: string, ...more: ReturnedMoney[]) => ({
      ...first,
      version,
      returns: [backOf('r', 'x', amount), ...more],
    });
    const paidBack = { ...paid, returns: [backOf('r', 'x', '10.00')] };
    const before = historyOfPreviousVersion(two, [
      paid,
      paidBack,
      reported(1, '40.00'),
      reported(2, '30.00'),
    ]);
    expect(legIdsIn(before.written)).toEqual(['r', '1:x', '1:r', '1:r']);
    expect(continueWithCurrentVersion(before, [reported(3, '30.00'), paidBack]).events).toEqual([]);
    const { events } = continueWithCurrentVersion(before, [
      reported(3, '20.00', backOf('s', 'x', '50.00')),
    ]);
    expect(events).toMatchObject([
      { type: 'MoneyReturned', data: { of_leg_id: 'x', leg: { leg_id: 's' }, beyond: '30.00' } },
      {
        type: 'DifferenceReported',
        data: {
          corrects: '1:r',
          of_leg_id: 'x',
          counted_amount: '40.00',
          reported_amount: '20.00',
        },
      },
    ]);
  });

  it('is recognised if the provider’s own id has the same form', () => {
    const own = (version: number, amount: string, back = '5.00') => ({
      ...first,
      version,
      legs: [leg('1:x', amount)],
      returns: [backOf('1:r', '1:x', back)],
    });
    const before = historyOfPreviousVersion(two, [own(1, '60.00')]);
    expect(legIdsIn(before.written)).toEqual(['1:x', '1:r']);
    expect(
      continueWithCurrentVersion(before, [own(2, '60.00'), paid, own(3, '60.00')]).events,
    ).toEqual([]);
    const { events } = continueWithCurrentVersion(before, [
      own(2, '6.00', '4.00'),
      own(3, '6.00', '4.00'),
    ]);
    expect(events).toMatchObject([
      { data: { corrects: '1:x', counted_amount: '60.00', reported_amount: '6.00' } },
      { data: { corrects: '1:r', counted_amount: '5.00', reported_amount: '4.00' } },
    ]);
  });
});

const one = <Value>(...values: Value[]) => fc.constantFrom(...values);
const amount = one('10.00', '60.00', '100.00');
/** `similar`: some ids look as if they were prefixed. */
const reportOf = (attempt: number, similar: boolean): fc.Arbitrary<ProviderReport> => {
  const id = one('x', 'y', similar ? `${attempt}:x` : 'z');
  const unique = { selector: (each: { leg_id: string }) => each.leg_id, maxLength: 3 };
  return fc.record({
    attempt: fc.constant(attempt),
    status: one('open', 'completed', 'declined'),
    legs: fc.uniqueArray(
      fc.tuple(id, amount).map(([name, each]) => leg(name, each)),
      unique,
    ),
    returns: fc.uniqueArray(
      fc.tuple(id, id, amount).map(([name, of, each]) => backOf(name, of, each)),
      unique,
    ),
  });
};
const reportsOf = (similar: boolean) =>
  fc.array(fc.oneof(reportOf(1, similar), reportOf(2, similar)), { maxLength: 6 });
const numbered = (all: readonly ProviderReport[]) =>
  all.map((each, at) => ({ ...each, version: at + 1 }));
const accounts = one(two, cascade({ provider: 'one' }, { provider: 'one', account: 'second' }));

const newMoney: readonly string[] = [
  'LateMoneyReceived',
  'ApprovedMoneyConfirmed',
  'MoneyReturned',
];

it.each([false, true])(
  'adds nothing to any older history when its reports repeat (R13.1) (similar ids: %s)',
  (similar) => {
    fc.assert(
      fc.property(accounts, reportsOf(similar), fc.boolean(), (begun, reports, numbers) => {
        const all = numbers ? numbered(reports) : reports;
        const { events } = continueWithCurrentVersion(historyOfPreviousVersion(begun, all), all);
        // A terminal status that was reported before the end may contradict it now. If a provider
        // uses both `x` and `1:x`, it is ambiguous which of them the older correction changed: its
        // difference may be posted, but nothing counts as new money.
        const unexpected = events.filter(({ type }) =>
          similar ? newMoney.includes(type) : type !== 'LateStatusReported',
        );
        expect(unexpected).toEqual([]);
      }),
      { numRuns: 500 },
    );
  },
);

it('leads to the same ledger as a history without prefixed ids', () => {
  const halves = fc.record({ begun: accounts, older: reportsOf(false), newer: reportsOf(false) });
  fc.assert(
    fc.property(halves, fc.boolean(), ({ begun, older, newer }, numbers) => {
      const reports = [...older, ...newer];
      const all = numbers ? numbered(reports) : reports;
      const before = historyOfPreviousVersion(begun, all.slice(0, older.length));
      // Excludes corrections, which the older version recorded without an entry.
      fc.pre(before.written.every(({ type }) => type !== 'LateLegCorrected'));
      const { events, operation } = continueWithCurrentVersion(before, all.slice(older.length));
      const whole = live(begun, all);
      expect(accountBalances(operation, [...before.read, ...events])).toEqual(
        accountBalances(whole.operation, whole.lateEvents),
      );
    }),
    { numRuns: 500 },
  );
});
