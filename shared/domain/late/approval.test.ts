import { describe, expect, it } from 'vitest';
import { toMinor } from '../ledger/minor.ts';
import { sum } from '../money.ts';
import { decideReview } from '../operation/receipt/operator-review.ts';
import { attemptsToWithdraw } from '../operation/due-steps/withdrawals.ts';
import type { Leg, OperationEvent } from '../operation/events.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import { accepted, admitted, leg, route, started } from '../operation/testing/given.ts';
import { asStored } from '../testing/as-stored.ts';
import { decodeLateEvent, type LateEvent } from './events.ts';
import { accountBalances } from './testing/account-balances.ts';
import { liveFrom } from './testing/live.ts';

/** A payment of 100.00 whose receipt needs a manual check. */
const underReview: readonly OperationEvent[] = [
  admitted(),
  started(1, route({ requires_receipt: true })),
  accepted(1, { confirmation_required: true }),
  { type: 'ReceiptUploaded', data: { receipt_id: 'r', sha256: 'h', size_bytes: 1, pdf: true } },
  { type: 'ManualCheckStarted', data: { receipt_id: 'r', reason: 'potential_fake' } },
];

type Step =
  | { decide: 'approve' | 'decline'; actual: string }
  | {
      report: readonly Leg[];
      version?: number;
      status?: ProviderReport['status'];
      beforeEnd?: boolean;
    };

/** Applies the steps in this order; returns the payment and its accounts. */
function live(steps: readonly Step[]) {
  const life = liveFrom(underReview);
  for (const step of steps) {
    if ('report' in step) {
      const { status = 'open', report: legs, version, beforeEnd = false } = step;
      const numbered = version !== undefined && { version };
      life.report({ attempt: 1, status, legs, ...numbered }, { beforeEnd });
      continue;
    }
    const by = { note: 'seen', legId: 'operator', nowIso: '2026-01-31T12:05:00.000Z' };
    const decided = decideReview(
      life.operation,
      step.decide === 'approve'
        ? { ...by, decision: 'approve', actualAmount: step.actual, mayExceed: true }
        : { ...by, decision: 'decline' },
    );
    if ('events' in decided) life.apply(decided.events);
  }
  const { provider, suspense } = accountBalances(life.operation, life.lateEvents);
  return { ...life, provider, suspense };
}

it('counts money after its approval once, as its confirmation (R9.12)', () => {
  const { operation, lateEvents, provider } = live([
    { decide: 'approve', actual: '100.00' },
    { report: [leg('a', '100.00')] },
  ]);
  expect(lateEvents).toMatchObject([
    { type: 'ApprovedMoneyConfirmed', data: { leg: leg('a', '100.00') } },
  ]);
  expect(provider).toBe(toMinor('-100.00'));
  expect(attemptsToWithdraw(operation)).toEqual([]);
});

it('treats only money beyond the approved amount as late (R9.12)', () => {
  const { lateEvents, provider } = live([
    { report: [leg('a', '30.00')] },
    { decide: 'approve', actual: '100.00' },
    { report: [leg('a', '30.00'), leg('b', '60.00'), leg('c', '15.00')] },
  ]);
  expect(lateEvents.map(({ type, data }) => [type, 'leg' in data && data.leg.amount])).toEqual([
    ['ApprovedMoneyConfirmed', '60.00'],
    ['ApprovedMoneyConfirmed', '10.00'],
    ['LateMoneyReceived', '5.00'],
  ]);
  expect(provider).toBe(toMinor('-105.00'));
});

describe('approved money that comes as more of a leg', () => {
  const before: Step[] = [
    { report: [leg('a', '40.00')], version: 1 },
    { decide: 'approve', actual: '100.00' },
  ];
  const confirmed = ['ApprovedMoneyConfirmed', 'a:corrected-1', '60.00'];
  const amounts = (lateEvents: readonly LateEvent[]) =>
    lateEvents.map(({ type, data }) =>
      'leg' in data ? [type, data.leg.leg_id, data.leg.amount] : [type],
    );

  it.each<[string, string[][], string]>([
    ['100.00', [confirmed], '0.00'],
    ['70.00', [['ApprovedMoneyConfirmed', 'a:corrected-1', '30.00']], '0.00'],
    ['115.00', [confirmed, ['DifferenceReported', 'a:corrected-2', '15.00']], '15.00'],
  ])('confirms the approval first: %s (R9.12, R13.19)', (amount, events, inSuspense) => {
    const more: Step = { report: [leg('a', amount)], version: 2 };
    const { lateEvents, provider, suspense } = live([...before, more, more]);
    expect(amounts(lateEvents)).toEqual(events);
    for (const event of lateEvents) expect(decodeLateEvent(asStored(event))).toEqual(event);
    expect(suspense).toBe(toMinor(inSuspense));
    expect(provider).toBe(-toMinor(sum(['100.00', inSuspense])));
  });

  it('is not missing when the provider ends the payment (R13.19)', () => {
    const end: Step = { report: [leg('a', '100.00')], version: 2, status: 'completed' };
    const { lateEvents, provider, suspense } = live([...before, end, end]);
    expect(amounts(lateEvents)).toEqual([confirmed]);
    expect({ provider, suspense }).toEqual({ provider: toMinor('-100.00'), suspense: 0n });
    const less: Step = { report: [leg('a', '70.00')], version: 2, status: 'completed' };
    const ended = live([...before, less, less]);
    expect({ provider: ended.provider, suspense: ended.suspense }).toEqual({
      provider: toMinor('-70.00'),
      suspense: toMinor('-30.00'),
    });
  });

  it('is corrected like any other money afterwards (R13.19)', () => {
    const { lateEvents, provider, suspense } = live([
      ...before,
      { report: [leg('a', '100.00')], version: 2 },
      { report: [leg('a', '90.00')], version: 3 },
    ]);
    expect(amounts(lateEvents)).toEqual([
      confirmed,
      ['DifferenceReported', 'a:corrected-2', '-10.00'],
    ]);
    expect({ provider, suspense }).toEqual({
      provider: toMinor('-90.00'),
      suspense: toMinor('-10.00'),
    });
  });

  it('confirms with a new leg first (R9.12)', () => {
    const { lateEvents } = live([
      ...before,
      { report: [leg('a', '70.00'), leg('b', '50.00')], version: 2 },
    ]);
    expect(amounts(lateEvents)).toEqual([
      ['ApprovedMoneyConfirmed', 'b', '50.00'],
      ['ApprovedMoneyConfirmed', 'a:corrected-1', '10.00'],
      ['DifferenceReported', 'a:corrected-2', '20.00'],
    ]);
  });
});

it('treats all money after a decline as late, and withdraws the attempt (R9.12)', () => {
  const { operation, lateEvents } = live([
    { decide: 'decline', actual: '0.00' },
    { report: [leg('a', '100.00')] },
  ]);
  expect(lateEvents.map(({ type }) => type)).toEqual(['LateMoneyReceived']);
  expect(attemptsToWithdraw(operation)).toEqual([1]);
});

describe('approved money that the provider did not receive', () => {
  const approved: Step = { decide: 'approve', actual: '100.00' };
  const missing = (lateEvents: readonly LateEvent[]) =>
    lateEvents.flatMap(({ type, data }) =>
      type === 'DifferenceReported' ? [[data.of, data.corrects, data.leg.amount]] : [],
    );

  it.each([
    ['completed', [leg('a', '60.00')], '-40.00'],
    ['expired', [leg('a', '60.00')], '-40.00'],
    ['withdrawn', [], '-100.00'],
    ['declined', [], '-100.00'],
    ['completed', [], '-100.00'],
  ] as const)(
    'goes to suspense once the provider ends the payment as %s (R13.19)',
    (status, report, amount) => {
      const end: Step = { status, report };
      const { operation, lateEvents, provider, suspense } = live([approved, end, end]);
      expect(missing(lateEvents)).toEqual([['approval', 'operator', amount]]);
      for (const event of lateEvents) expect(decodeLateEvent(asStored(event))).toEqual(event);
      expect(operation).toMatchObject({
        status: 'completed',
        settled: { actual_amount: '100.00' },
      });
      expect(suspense).toBe(toMinor(amount));
      expect(provider).toBe(-toMinor(sum(report.map((each) => each.amount))));
    },
  );

  it('is recorded even if the provider ended the payment before the approval (R13.19)', () => {
    const ended: Step = { status: 'expired', report: [] };
    const { lateEvents } = live([ended, approved, ended]);
    expect(missing(lateEvents)).toEqual([['approval', 'operator', '-100.00']]);
  });

  it('is not missing while the provider has the payment open', () => {
    const { lateEvents } = live([approved, { report: [leg('a', '60.00')] }]);
    expect(lateEvents.map(({ type }) => type)).toEqual(['ApprovedMoneyConfirmed']);
  });

  it('is not missing after a poll from before the approval', () => {
    const { lateEvents } = live([
      approved,
      { status: 'withdrawn', report: [], beforeEnd: true },
      { status: 'completed', report: [leg('a', '100.00')] },
    ]);
    expect(lateEvents.map(({ type }) => type)).toEqual(['ApprovedMoneyConfirmed']);
  });

  it('is late money if it arrives after the provider ended the payment (R13.19)', () => {
    const { lateEvents, provider, suspense } = live([
      approved,
      { status: 'expired', report: [] },
      { status: 'expired', report: [leg('a', '100.00')] },
    ]);
    expect(lateEvents.map(({ type }) => type)).toContain('LateMoneyReceived');
    expect({ provider, suspense }).toEqual({ provider: toMinor('-100.00'), suspense: 0n });
  });
});
