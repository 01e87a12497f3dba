import { describe, expect, it } from 'vitest';
import { fromMinor, toMinor } from '../ledger/minor.ts';
import type { Leg, ReturnedMoney } from '../operation/events.ts';
import { fold } from '../operation/evolve.ts';
import { applyReport } from '../operation/reports/apply-report.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import type { Operation } from '../operation/state.ts';
import { accepted, admitted, leg, route, started } from '../operation/testing/given.ts';
import { asStored } from '../testing/as-stored.ts';
import { decodeLateEvent, type LateEvent } from './events.ts';
import { evolveLate, recordLate } from './record.ts';
import { returnedSoFar } from './returned.ts';
import { nothingLate } from './state.ts';
import { accountBalances } from './testing/account-balances.ts';
import { liveFrom } from './testing/live.ts';

const back = (id: string, of: string, amount: string): ReturnedMoney => ({
  leg_id: id,
  of_leg_id: of,
  amount,
  completed_at: '2026-02-01T12:00:00.000Z',
});

/** Operations of 100.00 that their provider has accepted. */
const open = {
  payment: [admitted(), started(), accepted()],
  payout: [
    admitted({ type: 'payout' }),
    started(1, route({ type: 'payout', commission: { percent: '0', fixed: '0.00' } })),
    { type: 'ReservationRequested', data: { reservation: 1, currency: 'RUB', amount: '100.00' } },
    { type: 'FundsReserved', data: { reservation: 1, attempt: 1 } },
    accepted(),
  ],
} as const;

type Reported = Partial<Pick<ProviderReport, 'attempt' | 'version' | 'status' | 'returns'>> & {
  legs: Leg[];
};

/** Applies the reports in this order; `books` has the accounts after them. */
function live(type: 'payment' | 'payout', reports: readonly Reported[]) {
  const life = liveFrom(open[type]);
  for (const reported of reports) life.report({ attempt: 1, status: 'open', ...reported });
  return { ...life, books: accountBalances(life.operation, life.lateEvents) };
}

const legs = [leg('a', '100.00')];
const paid: Reported = { status: 'completed', legs };

it('reverses only the recorded part of a return whose late part was lost in a crash', () => {
  const first = leg('b', '30.00');
  const reported = { attempt: 1, status: 'open', legs: [first] } as const;
  const applied = applyReport(fold(open.payment), { ...reported, version: 1 });
  const paidIn = fold(applied.events, fold(open.payment)) as Operation;
  const report = { ...reported, version: 2, returns: [back('r', 'b', '100.00')] };
  const operation = fold(applyReport(paidIn, report).events, paidIn) as Operation;
  expect(operation.returns).toMatchObject([{ amount: '100.00', counted: '30.00' }]);
  // The process crashed here: the late 70.00 was not recorded.
  const { events } = recordLate(nothingLate, {
    operation,
    report: { ...reported, version: 3, returns: [] },
    facts: [],
  });
  expect(events).toMatchObject([
    { type: 'DifferenceReported', data: { of: 'return', leg: { amount: '-30.00' } } },
  ]);
});

describe('money returned after the terminal status', () => {
  it.each([
    ['payout', 'returned', { provider: '40.00', suspense: '60.00', balance: '-100.00' }],
    ['payment', 'charged_back', { provider: '-40.00', suspense: '-60.00', balance: '97.50' }],
  ] as const)(
    'of a %s goes to suspense, in the opposite direction (R13.18)',
    (type, kind, accounts) => {
      const { operation, lateEvents, books } = live(type, [
        paid,
        { ...paid, returns: [back('r', 'a', '60.00')] },
      ]);
      expect(operation.status).toBe('completed');
      expect(lateEvents).toMatchObject([
        {
          type: 'MoneyReturned',
          data: { kind, currency: 'RUB', of_leg_id: 'a', leg: { leg_id: 'r' } },
        },
      ]);
      const [event] = lateEvents;
      expect(event && decodeLateEvent(asStored(event))).toEqual(event);
      expect(event?.data).not.toHaveProperty('beyond');
      for (const [account, amount] of Object.entries(accounts))
        expect(fromMinor(books[account as keyof typeof books])).toBe(amount);
    },
  );

  it('records the total returned so far, including before the end (R14.20)', () => {
    const first = back('r1', 'a', '20.00');
    const second = back('r2', 'b', '30.00');
    const third = back('r3', 'b', '5.00');
    const all = [leg('a', '20.00'), leg('b', '100.00')];
    const { operation, lateEvents } = live('payment', [
      { legs: [leg('a', '20.00')], returns: [first] },
      { status: 'completed', legs: all, returns: [first] },
      { status: 'completed', legs: all, returns: [first, second] },
      { status: 'completed', legs: all, returns: [first, second, third] },
    ]);
    expect(operation).toMatchObject({ status: 'completed', returns: [{ counted: '20.00' }] });
    expect(lateEvents.map(({ data }) => 'total' in data && data.total)).toEqual(['50.00', '55.00']);
    const late = lateEvents.reduce(evolveLate, nothingLate);
    expect(returnedSoFar(operation, late)).toBe('55.00');
  });

  it('changes its total when it is corrected, without another return or webhook (R5.17, R14.20)', () => {
    const { operation, lateEvents } = live('payment', [
      paid,
      { ...paid, version: 2, returns: [back('r', 'a', '60.00')] },
      { ...paid, version: 3, returns: [back('r', 'a', '40.00')] },
    ]);
    expect(lateEvents.map(({ type }) => type)).toEqual(['MoneyReturned', 'DifferenceReported']);
    // A webhook is sent of each event with a total.
    expect(lateEvents.map(({ data }) => 'total' in data && data.total)).toEqual(['60.00', false]);
    const late = lateEvents.reduce(evolveLate, nothingLate);
    expect(returnedSoFar(operation, late)).toBe('40.00');
  });

  it('has no total for the excess over its leg before the end', () => {
    const { lateEvents } = live('payment', [
      { legs: [leg('a', '20.00')], returns: [back('r', 'a', '25.00')] },
    ]);
    expect(lateEvents).toMatchObject([{ type: 'MoneyReturned', data: { beyond: '5.00' } }]);
    expect(lateEvents[0]?.data).not.toHaveProperty('total');
  });

  it('is recognised by its id, even if its leg has the same id (R13.18)', () => {
    const returns = [back('a', 'a', '60.00')];
    const reported = { ...paid, returns };
    const { lateEvents, books } = live('payout', [
      paid,
      reported,
      reported,
      { ...reported, version: 3 },
      reported,
    ]);
    expect(lateEvents).toHaveLength(1);
    expect(books.suspense).toBe(toMinor('60.00'));
  });

  it('records the part that exceeds its leg (R13.18)', () => {
    const ofLeg = ['60.00', '60.00', '7.00'].map((amount, n) => back(`r${n}`, 'a', amount));
    const returns = [...ofLeg, back('r3', 'x', '5.00')];
    const { lateEvents } = live('payout', [paid, { ...paid, returns }]);
    expect(lateEvents.map(({ data }) => 'beyond' in data && data.beyond)).toEqual(
      [undefined, '20.00', '7.00', '5.00'].map((beyond) => beyond ?? false),
    );
  });

  it('is late too if it reverses late money', () => {
    const late = leg('b', '30.00');
    const { lateEvents, books } = live('payment', [
      paid,
      { ...paid, legs: [...legs, late], returns: [back('r', 'b', '30.00')] },
    ]);
    expect(lateEvents.map(({ type }) => type)).toEqual(['LateMoneyReceived', 'MoneyReturned']);
    expect(books).toMatchObject({ suspense: 0n, provider: toMinor('-100.00') });
  });

  it('is not mistaken for a correction of its leg', () => {
    const reported = { ...paid, version: 2 };
    const { lateEvents } = live('payment', [
      reported,
      { ...reported, version: 3, returns: [back('r', 'a', '60.00')] },
      { ...reported, version: 4, legs: [leg('a', '90.00')], returns: [back('r', 'a', '60.00')] },
    ]);
    expect(lateEvents.map(({ type }) => type)).toEqual(['MoneyReturned', 'DifferenceReported']);
  });
});

describe('money returned before the terminal status', () => {
  const part = [leg('a', '60.00')];
  const returns = [back('r', 'a', '20.00')];

  it('is deducted once, and the rest is settled (R13.18)', () => {
    const { operation, lateEvents, books } = live('payment', [
      { version: 1, legs: part },
      { version: 2, legs: part, returns },
      { version: 2, legs: part, returns },
      { version: 1, legs: part },
      { version: 3, legs: [...part, leg('b', '50.00')], returns, status: 'completed' },
      { version: 4, legs: [...part, leg('b', '50.00')], returns, status: 'completed' },
    ]);
    expect(operation.legs.map(({ amount }) => amount)).toEqual(['40.00', '50.00']);
    expect(operation).toMatchObject({
      status: 'partially_completed',
      settled: { actual_amount: '90.00' },
    });
    expect(lateEvents).toEqual([]);
    expect(books).toMatchObject({ provider: toMinor('-90.00'), suspense: 0n });
  });

  it('may be reported with its leg, and end an operation without money (R13.18)', () => {
    const all = { status: 'completed', legs, returns: [back('r', 'a', '100.00')] } as const;
    const { operation, books } = live('payout', [all, all]);
    expect(operation).toMatchObject({ status: 'declined', legs: [{ amount: '0.00' }] });
    expect(books).toMatchObject({ provider: 0n, balance: 0n, reserved: 0n, suspense: 0n });
  });

  it('is late by the excess over its leg, or if its leg is not reported yet (R13.18)', () => {
    const reported = {
      legs: part,
      returns: [back('r', 'a', '70.00'), back('x', 'unknown', '5.00')],
    };
    const unknown = leg('unknown', '5.00');
    const { operation, lateEvents, books } = live('payment', [
      { legs: part },
      reported,
      reported,
      { ...reported, legs: [...part, unknown] },
      { ...reported, status: 'expired', legs: [...part, unknown] },
    ]);
    expect(operation).toMatchObject({
      status: 'partially_completed',
      settled: { actual_amount: '5.00' },
    });
    expect(
      lateEvents.map(({ data }) => 'leg' in data && [data.leg.leg_id, data.leg.amount]),
    ).toEqual([
      ['r', '10.00'],
      ['x', '5.00'],
    ]);
    // 65.00 was received, and 75.00 returned.
    expect(books).toMatchObject({ provider: toMinor('10.00'), suspense: toMinor('-15.00') });
  });

  it('stays deducted when its leg is corrected', () => {
    const { operation } = live('payment', [
      { version: 1, legs: part },
      { version: 2, legs: part, returns },
      { version: 3, legs: [leg('a', '70.00')], returns },
    ]);
    expect(operation.legs).toMatchObject([{ amount: '50.00' }]);
  });
});

describe('leg that is corrected below its returns', () => {
  const returns = [back('r', 'a', '30.00')];
  const reported = (version: number, amount: string): Reported => ({
    version,
    legs: amount === '0.00' ? [] : [leg('a', amount)],
    returns,
  });
  const corrected = (lateEvents: readonly LateEvent[]) =>
    lateEvents.map(({ type, data }) =>
      type === 'DifferenceReported'
        ? [data.corrects, data.of_leg_id, data.counted_amount, data.reported_amount]
        : type,
    );
  const begun: Reported[] = [{ version: 1, legs: [leg('a', '90.00')] }, reported(2, '90.00')];

  it('counts as zero, and each difference goes to suspense once (R13.19)', () => {
    const { operation, lateEvents, books } = live('payment', [
      ...begun,
      reported(3, '20.00'),
      reported(3, '20.00'),
      reported(2, '90.00'),
      reported(4, '20.00'),
      reported(5, '0.00'),
      { ...reported(6, '0.00'), status: 'expired' },
      reported(7, '10.00'),
    ]);
    expect(operation).toMatchObject({ status: 'expired', legs: [{ amount: '0.00' }] });
    expect(corrected(lateEvents)).toEqual([
      ['a', undefined, '30.00', '20.00'],
      ['a', undefined, '20.00', '0.00'],
      ['a', undefined, '0.00', '10.00'],
    ]);
    for (const event of lateEvents) expect(decodeLateEvent(asStored(event))).toEqual(event);
    // 10.00 was received, and 30.00 returned.
    const less = toMinor('-20.00');
    expect(books).toMatchObject({ provider: -less, suspense: less, balance: 0n });
  });
});

describe('return that its provider changes', () => {
  const reported = (version: number, ...returns: ReturnedMoney[]): Reported => ({
    ...paid,
    version,
    returns,
  });
  const changes = (lateEvents: readonly LateEvent[]) =>
    lateEvents.flatMap(({ type, data }) =>
      type === 'DifferenceReported'
        ? [[data.corrects, data.of_leg_id, data.counted_amount, data.reported_amount]]
        : [],
    );

  it.each(['payment', 'payout'] as const)(
    'posts each difference to suspense once after the terminal status of a %s (R13.19)',
    (type) => {
      const begun = [reported(1), reported(2, back('r', 'a', '40.00'))];
      const { lateEvents, books } = live(type, [
        ...begun,
        reported(3, back('r', 'a', '100.00')),
        reported(3, back('r', 'a', '100.00')),
        reported(4, back('r', 'a', '100.00')),
        reported(2, back('r', 'a', '40.00')),
        reported(5),
        reported(6, back('r', 'a', '40.00')),
      ]);
      expect(changes(lateEvents)).toEqual([
        ['r', 'a', '40.00', '100.00'],
        ['r', 'a', '100.00', '0.00'],
        ['r', 'a', '0.00', '40.00'],
      ]);
      expect(lateEvents).toHaveLength(4);
      for (const event of lateEvents) expect(decodeLateEvent(asStored(event))).toEqual(event);
      expect(books).toEqual(live(type, begun).books);
    },
  );

  it('posts its difference to suspense while the operation is open and at its end (R13.19)', () => {
    const part = [leg('a', '60.00')];
    const reports: Reported[] = [
      { version: 1, legs: part },
      { version: 2, legs: part, returns: [back('r', 'a', '60.00')] },
      { version: 3, legs: part },
    ];
    const before = live('payment', reports);
    expect(changes(before.lateEvents)).toEqual([['r', 'a', '60.00', '0.00']]);
    const both = [...part, leg('b', '40.00')];
    const end: Reported = { version: 4, status: 'completed', legs: both };
    const ended = live('payment', [...reports, end]);
    expect(ended.operation).toMatchObject({
      status: 'partially_completed',
      settled: { actual_amount: '40.00' },
    });
    expect(ended.lateEvents).toEqual(before.lateEvents);
    const atOnce = live('payment', [...reports.slice(0, 2), end]);
    expect(changes(atOnce.lateEvents)).toEqual([['r', 'a', '60.00', '0.00']]);
  });
});
