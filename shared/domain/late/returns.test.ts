import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromMinor, toMinor } from '../ledger/minor.ts';
import type { Leg, Returned } from '../operation/events.ts';
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
import { booksOf } from './testing/books.ts';

const back = (id: string, of: string, amount: string): Returned => ({
  leg_id: id,
  of_leg_id: of,
  amount,
  completed_at: '2026-02-01T12:00:00.000Z',
});

/** Of 100.00, accepted by its provider. */
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

type Told = Partial<Pick<ProviderReport, 'attempt' | 'version' | 'status' | 'returns'>> & {
  legs: Leg[];
};

/** What becomes of an operation and its books when these are reported in this order. */
function live(type: 'payment' | 'payout', reports: readonly Told[]) {
  let operation = fold(open[type]) as Operation;
  let late = nothingLate;
  const lateEvents: LateEvent[] = [];
  for (const told of reports) {
    const report = { attempt: 1, status: 'open', ...told } as const;
    const taken = applyReport(operation, report);
    operation = fold(taken.events, operation) as Operation;
    const { events } = recordLate(late, { operation, report, facts: taken.late });
    lateEvents.push(...events);
    late = events.reduce(evolveLate, late);
  }
  return { operation, lateEvents, books: booksOf(operation, lateEvents) };
}

const legs = [leg('a', '100.00')];
const paid: Told = { status: 'completed', legs };

it('a return whose late part was lost in a crash is taken back by its recorded part', () => {
  const first = leg('b', '30.00');
  const told = { attempt: 1, status: 'open', legs: [first] } as const;
  const wentBack = applyReport(fold(open.payment), { ...told, version: 1 });
  const paidIn = fold(wentBack.events, fold(open.payment)) as Operation;
  const report = { ...told, version: 2, returns: [back('r', 'b', '100.00')] };
  const operation = fold(applyReport(paidIn, report).events, paidIn) as Operation;
  expect(operation.returns).toMatchObject([{ amount: '100.00', counted: '30.00' }]);
  // The process ended here: 70.00 of it was not recorded.
  const { events } = recordLate(nothingLate, {
    operation,
    report: { ...told, version: 3, returns: [] },
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
    'of a %s waits for an operator, in the opposite direction (R13.18)',
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

  it('says all that went back so far, with what did before the end: the merchant is told (R14.20)', () => {
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

  it('of which a corrected amount is no return of its own: the total follows it (R5.17)', () => {
    const { operation, lateEvents } = live('payment', [
      paid,
      { ...paid, version: 2, returns: [back('r', 'a', '60.00')] },
      { ...paid, version: 3, returns: [back('r', 'a', '40.00')] },
    ]);
    expect(lateEvents.map(({ type }) => type)).toEqual(['MoneyReturned', 'DifferenceReported']);
    const late = lateEvents.reduce(evolveLate, nothingLate);
    expect(returnedSoFar(operation, late)).toBe('40.00');
  });

  it('says nothing to the merchant of what exceeds its leg before the end', () => {
    const { lateEvents } = live('payment', [
      { legs: [leg('a', '20.00')], returns: [back('r', 'a', '25.00')] },
    ]);
    expect(lateEvents).toMatchObject([{ type: 'MoneyReturned', data: { beyond: '5.00' } }]);
    expect(lateEvents[0]?.data).not.toHaveProperty('total');
  });

  it('is recognised by its id, even if that is its leg’s id (R13.18)', () => {
    const returns = [back('a', 'a', '60.00')];
    const told = { ...paid, returns };
    const { lateEvents, books } = live('payout', [paid, told, told, { ...told, version: 3 }, told]);
    expect(lateEvents).toHaveLength(1);
    expect(books.suspense).toBe(toMinor('60.00'));
  });

  it('shows the part that exceeds its leg (R13.18)', () => {
    const returns = [back('r1', 'a', '60.00'), back('r2', 'a', '60.00'), back('r3', 'x', '5.00')];
    const { lateEvents } = live('payout', [paid, { ...paid, returns }]);
    expect(lateEvents.map(({ data }) => 'beyond' in data && data.beyond)).toEqual(
      [undefined, '20.00', '5.00'].map((beyond) => beyond ?? false),
    );
  });

  it('is late too if it reverses late money or money of an unaccepted attempt', () => {
    const late = leg('b', '30.00');
    const { lateEvents, books } = live('payment', [
      paid,
      { ...paid, legs: [...legs, late], returns: [back('r', 'b', '30.00')] },
    ]);
    expect(lateEvents.map(({ type }) => type)).toEqual(['LateMoneyReceived', 'MoneyReturned']);
    expect(books).toMatchObject({ suspense: 0n, provider: toMinor('-100.00') });
  });

  it('confirms no correction: its leg keeps its counted amount', () => {
    const told = { ...paid, version: 2 };
    const { lateEvents } = live('payment', [
      told,
      { ...told, version: 3, returns: [back('r', 'a', '60.00')] },
      { ...told, version: 4, legs: [leg('a', '90.00')], returns: [back('r', 'a', '60.00')] },
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

  it('may come with its leg, and end an operation without remaining money (R13.18)', () => {
    const all = { status: 'completed', legs, returns: [back('r', 'a', '100.00')] } as const;
    const { operation, books } = live('payout', [all, all]);
    expect(operation).toMatchObject({ status: 'declined', legs: [{ amount: '0.00' }] });
    expect(books).toMatchObject({ provider: 0n, balance: 0n, reserved: 0n, suspense: 0n });
  });

  it('is late as far as it exceeds its leg, in any order (R13.18)', () => {
    const told = { legs: part, returns: [back('r', 'a', '70.00'), back('x', 'unknown', '5.00')] };
    const unknown = leg('unknown', '5.00');
    const { operation, lateEvents, books } = live('payment', [
      { legs: part },
      told,
      told,
      { ...told, legs: [...part, unknown] },
      { ...told, status: 'expired', legs: [...part, unknown] },
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
    // 65.00 came, and 75.00 went back.
    expect(books).toMatchObject({ provider: toMinor('10.00'), suspense: toMinor('-15.00') });
  });

  it('is part of corrections', () => {
    const { operation } = live('payment', [
      { version: 1, legs: part },
      { version: 2, legs: part, returns },
      { version: 3, legs: [leg('a', '70.00')], returns },
    ]);
    expect(operation.legs).toMatchObject([{ amount: '50.00' }]);
  });
});

describe('a leg that is corrected below its returns', () => {
  const part = [leg('a', '100.00')];
  const returns = [back('r', 'a', '30.00')];
  const told = (version: number, amount: string): Told => ({
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
  const begun: Told[] = [{ version: 1, legs: [leg('a', '90.00')] }, told(2, '90.00')];

  it('counts as zero, and the difference goes to suspense, once for each amount (R13.19)', () => {
    const { operation, lateEvents, books } = live('payment', [
      ...begun,
      told(3, '20.00'),
      told(3, '20.00'),
      told(2, '90.00'),
      told(4, '20.00'),
      told(5, '0.00'),
      { ...told(6, '0.00'), status: 'expired' },
      told(7, '10.00'),
    ]);
    expect(operation).toMatchObject({ status: 'expired', legs: [{ amount: '0.00' }] });
    expect(corrected(lateEvents)).toEqual([
      ['a', undefined, '30.00', '20.00'],
      ['a', undefined, '20.00', '0.00'],
      ['a', undefined, '0.00', '10.00'],
    ]);
    for (const event of lateEvents) expect(decodeLateEvent(asStored(event))).toEqual(event);
    // 10.00 came, and 30.00 went back.
    const less = toMinor('-20.00');
    expect(books).toMatchObject({ provider: -less, suspense: less, balance: 0n });
  });

  it('is corrected as any other once it is consistent again', () => {
    const { operation, lateEvents } = live('payment', [
      ...begun,
      told(3, '20.00'),
      told(4, '80.00'),
      told(5, '70.00'),
      { ...told(6, '70.00'), status: 'expired' },
    ]);
    expect(operation).toMatchObject({ legs: [{ amount: '40.00' }], status: 'partially_completed' });
    expect(corrected(lateEvents)).toEqual([
      ['a', undefined, '30.00', '20.00'],
      ['a', undefined, '70.00', '80.00'],
    ]);
  });

  it('is reported as a whole after the terminal status', () => {
    const { lateEvents } = live('payment', [
      ...begun,
      { ...told(3, '90.00'), status: 'completed' },
      told(4, '20.00'),
      { ...told(5, '90.00'), legs: part },
    ]);
    expect(corrected(lateEvents)).toEqual([
      ['a', undefined, '90.00', '20.00'],
      ['a', undefined, '20.00', '100.00'],
    ]);
  });
});

describe('a return that its provider changes', () => {
  const told = (version: number, ...returns: Returned[]): Told => ({ ...paid, version, returns });
  const changes = (lateEvents: readonly LateEvent[]) =>
    lateEvents.flatMap(({ type, data }) =>
      type === 'DifferenceReported'
        ? [[data.corrects, data.of_leg_id, data.counted_amount, data.reported_amount]]
        : [],
    );

  it.each(['payment', 'payout'] as const)(
    'after the terminal status of a %s goes to suspense: its difference, once for each amount (R13.19)',
    (type) => {
      const begun = [told(1), told(2, back('r', 'a', '40.00'))];
      const { lateEvents, books } = live(type, [
        ...begun,
        told(3, back('r', 'a', '100.00')),
        told(3, back('r', 'a', '100.00')),
        told(4, back('r', 'a', '100.00')),
        told(2, back('r', 'a', '40.00')),
        told(5),
        told(6, back('r', 'a', '40.00')),
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

  it('goes to suspense while the operation is open, and with its terminal status (R13.19)', () => {
    const part = [leg('a', '60.00')];
    const reports: Told[] = [
      { version: 1, legs: part },
      { version: 2, legs: part, returns: [back('r', 'a', '60.00')] },
      { version: 3, legs: part },
    ];
    const before = live('payment', reports);
    expect(changes(before.lateEvents)).toEqual([['r', 'a', '60.00', '0.00']]);
    const both = [...part, leg('b', '40.00')];
    const end: Told = { version: 4, status: 'completed', legs: both };
    const ended = live('payment', [...reports, end]);
    expect(ended.operation).toMatchObject({
      status: 'partially_completed',
      settled: { actual_amount: '40.00' },
    });
    expect(ended.lateEvents).toEqual(before.lateEvents);
    const atOnce = live('payment', [...reports.slice(0, 2), end]);
    expect(changes(atOnce.lateEvents)).toEqual([['r', 'a', '60.00', '0.00']]);
  });

  it('keeps the part that was counted (R13.19)', () => {
    const part = [leg('a', '20.00')];
    const { lateEvents, books } = live('payment', [
      { version: 1, legs: part },
      { version: 2, legs: part, returns: [back('r', 'a', '20.00')] },
      { version: 3, legs: part, returns: [back('r', 'a', '50.00')] },
      { version: 4, legs: part, returns: [back('r', 'a', '60.00')], status: 'expired' },
    ]);
    expect(lateEvents.map(({ type }) => type)).toEqual([
      'DifferenceReported',
      'DifferenceReported',
    ]);
    expect(changes(lateEvents)).toEqual([
      ['r', 'a', '20.00', '50.00'],
      ['r', 'a', '50.00', '60.00'],
    ]);
    expect(books.suspense).toBe(toMinor('-40.00'));
  });

  it('is not confused with its leg if both have one id', () => {
    const { lateEvents } = live('payout', [told(1), told(2, back('a', 'a', '40.00')), told(3)]);
    expect(changes(lateEvents)).toEqual([['a', 'a', '40.00', '0.00']]);
  });
});

const amount = fc.integer({ min: 1, max: 15_000 }).map((minor) => (minor / 100).toFixed(2));
/** Legs that come one by one, and what goes back of them; each report has all before it. */
const stories = fc
  .record({
    type: fc.constantFrom('payment' as const, 'payout' as const),
    versioned: fc.boolean(),
    events: fc.array(fc.record({ amount, of: fc.nat(5), back: fc.boolean(), status: fc.nat(3) }), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  .map(({ type, versioned, events }) => {
    const came: Leg[] = [];
    const returns: Returned[] = [];
    const reports = events.map((event, index): Told => {
      const of = came[event.of % Math.max(came.length, 1)];
      if (event.back && of) returns.push(back(`r${index}`, of.leg_id, event.amount));
      else came.push(leg(`l${index}`, event.amount));
      const status = event.status === 0 ? 'completed' : 'open';
      return {
        status,
        legs: [...came],
        returns: [...returns],
        ...(versioned && { version: index + 1 }),
      };
    });
    return { type, came, returns, reports };
  });
const total = (of: readonly { amount: string }[]) =>
  of.reduce((sum, each) => sum + toMinor(each.amount), 0n);

describe('in any order, with any repeats', () => {
  it('the provider’s account has the received minus the returned money (R13.18)', () => {
    const orders = stories.chain(({ reports, ...story }) =>
      fc
        .shuffledSubarray([...reports, ...reports], { minLength: reports.length * 2 })
        .map((order) => ({ ...story, order: [...order, reports.at(-1) as Told] })),
    );
    fc.assert(
      fc.property(orders, ({ type, came, returns, order }) => {
        const last = order.at(-1) as Told;
        const { books } = live(type, [
          ...order,
          { ...last, status: type === 'payment' ? 'expired' : 'declined' },
        ]);
        const due = total(came) - total(returns);
        expect(books.provider).toBe(type === 'payment' ? -due : due);
      }),
      { numRuns: 600 },
    );
  });

  it('the ledger is the same after the terminal status, in any order of reports (R13.18)', () => {
    const orders = stories.chain(({ reports, ...story }) =>
      fc
        .shuffledSubarray([...reports, ...reports], { minLength: reports.length * 2 })
        .map((order) => ({ ...story, reports, order })),
    );
    fc.assert(
      fc.property(orders, ({ type, reports, order }) => {
        const whole = reports.at(-1) as Told;
        const ended = { ...paid, version: 0 };
        const all = { ...whole, legs: [...legs, ...whole.legs] };
        const some = order.map((each) => ({ ...each, legs: [...legs, ...each.legs] }));
        expect(live(type, [ended, ...some, all]).books).toEqual(live(type, [ended, all]).books);
      }),
      { numRuns: 300 },
    );
  });
});
