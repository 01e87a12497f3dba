import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Returned } from '../operation/events.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import { leg } from '../operation/testing/given.ts';
import type { LateEvent } from './events.ts';
import { booksOf } from './testing/books.ts';
import { carriedOn, olderLife } from './testing/older.ts';
import { atTwoProviders as two, cascade, live } from './testing/two-attempts.ts';

const backOf = (id: string, of: string, amount: string): Returned => ({
  ...leg(id, amount),
  of_leg_id: of,
});
const paid: ProviderReport = { attempt: 2, status: 'completed', legs: [leg('x', '100.00')] };
const first: ProviderReport = { attempt: 1, status: 'completed', legs: [leg('x', '60.00')] };

const namesIn = (events: readonly LateEvent[]) =>
  events.flatMap(({ data }) =>
    'leg' in data ? data.leg.leg_id : 'leg_id' in data ? data.leg_id : [],
  );

describe('late money that the previous version disambiguated by its attempt (R13.2)', () => {
  it('is recognised when its report is repeated (R13.2)', () => {
    const before = olderLife(two, [paid, first]);
    expect(namesIn(before.written)).toEqual(['1:x']);
    expect(before.written[0]?.data).not.toHaveProperty('provider_leg_id');
    expect(carriedOn(before, [first, paid]).events).toEqual([]);
    expect(booksOf(before.operation, before.read).suspense).toBe(6_000n);
  });

  it('is corrected by its provider’s id', () => {
    const told = (version: number, amount: string) => ({
      ...first,
      version,
      legs: [leg('x', amount)],
    });
    const before = olderLife(two, [paid, told(1, '60.00')]);
    const { events } = carriedOn(before, [told(2, '60.00'), told(3, '6.00'), told(4, '6.00')]);
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

  it('is recognised as a return of its leg', () => {
    const told = (version: number, amount: string, ...more: Returned[]) => ({
      ...first,
      version,
      returns: [backOf('r', 'x', amount), ...more],
    });
    const paidBack = { ...paid, returns: [backOf('r', 'x', '10.00')] };
    const before = olderLife(two, [paid, paidBack, told(1, '40.00'), told(2, '30.00')]);
    expect(namesIn(before.written)).toEqual(['r', '1:x', '1:r', '1:r']);
    expect(carriedOn(before, [told(3, '30.00'), paidBack]).events).toEqual([]);
    const { events } = carriedOn(before, [told(3, '20.00', backOf('s', 'x', '50.00'))]);
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

  it('may have a provider’s id of the same form', () => {
    const own = (version: number, amount: string, back = '5.00') => ({
      ...first,
      version,
      legs: [leg('1:x', amount)],
      returns: [backOf('1:r', '1:x', back)],
    });
    const before = olderLife(two, [own(1, '60.00')]);
    expect(namesIn(before.written)).toEqual(['1:x', '1:r']);
    expect(carriedOn(before, [own(2, '60.00'), paid, own(3, '60.00')]).events).toEqual([]);
    const { events } = carriedOn(before, [own(2, '6.00', '4.00'), own(3, '6.00', '4.00')]);
    expect(events).toMatchObject([
      { data: { corrects: '1:x', counted_amount: '60.00', reported_amount: '6.00' } },
      { data: { corrects: '1:r', counted_amount: '5.00', reported_amount: '4.00' } },
    ]);
  });
});

const one = <Value>(...values: Value[]) => fc.constantFrom(...values);
const amount = one('10.00', '60.00', '100.00');
/** `looks`: some ids look as if they were disambiguated. */
const reportOf = (attempt: number, looks: boolean): fc.Arbitrary<ProviderReport> => {
  const id = one('x', 'y', looks ? `${attempt}:x` : 'z');
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
const reportsOf = (looks: boolean) =>
  fc.array(fc.oneof(reportOf(1, looks), reportOf(2, looks)), { maxLength: 6 });
const numbered = (all: readonly ProviderReport[]) =>
  all.map((each, at) => ({ ...each, version: at + 1 }));
const accounts = one(two, cascade({ provider: 'one' }, { provider: 'one', account: 'second' }));

const newMoney: readonly string[] = [
  'LateMoneyReceived',
  'ApprovedMoneyConfirmed',
  'MoneyReturned',
];

it.each([false, true])(
  'a repeat adds nothing to any history of the previous version (R13.1) (similar ids: %s)',
  (looks) => {
    fc.assert(
      fc.property(accounts, reportsOf(looks), fc.boolean(), (begun, told, numbers) => {
        const all = numbers ? numbered(told) : told;
        const { events } = carriedOn(olderLife(begun, all), all);
        // Now that it has ended, an end that was told before may contradict it. Where a provider
        // has both `x` and `1:x`, of which of them an operator was informed is not known: the difference may be
        // posted, but nothing counts as new money.
        const left = events.filter(({ type }) =>
          looks ? newMoney.includes(type) : type !== 'LateStatusReported',
        );
        expect(left).toEqual([]);
      }),
      { numRuns: 500 },
    );
  },
);

it('leads to the same ledger as if it had no older names', () => {
  const halves = fc.record({ begun: accounts, older: reportsOf(false), newer: reportsOf(false) });
  fc.assert(
    fc.property(halves, fc.boolean(), ({ begun, older, newer }, numbers) => {
      const told = [...older, ...newer];
      const all = numbers ? numbered(told) : told;
      const before = olderLife(begun, all.slice(0, older.length));
      // What it told of without an entry is none of this.
      fc.pre(before.written.every(({ type }) => type !== 'LateLegCorrected'));
      const { events, operation } = carriedOn(before, all.slice(older.length));
      const whole = live(begun, all);
      expect(booksOf(operation, [...before.read, ...events])).toEqual(
        booksOf(whole.operation, whole.lateEvents),
      );
    }),
    { numRuns: 500 },
  );
});
