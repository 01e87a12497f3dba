import { describe, expect, it } from 'vitest';
import { receive, withdrawAttempt } from './acceptance.ts';
import { half, missingAmount, reaches, total } from './money.ts';
import type { SandboxContext, SubmittedAttempt } from './record.ts';
import { reviewAttempt, takeReceipt } from './review.ts';
import {
  addLateMoney,
  addLeg,
  autopilot,
  correctLeg,
  expireAttempt,
  settle,
} from './settlement.ts';

let ids = 0;
const now: SandboxContext = {
  nowMs: Date.parse('2026-01-31T12:00:00.000Z'),
  newId: () => `id-${(ids += 1)}`,
};
const accepted = (
  options: object = {},
  amount = '100.00',
  type: 'payment' | 'payout' = 'payment',
): SubmittedAttempt =>
  receive(
    { key: 'op.1', operationId: 'op', attempt: 1 },
    {
      body: {
        type,
        method: 'WT_RUB_C2C',
        amount,
        currency: 'RUB',
        client_id: 'c',
        options: options as Record<string, never>,
      },
      hash: '',
    },
    now,
  );
const amounts = (record: SubmittedAttempt) => record.legs.map((leg) => leg.amount);
const leg = (amount: string) => ({ amount, file: true });

it('corrects a leg in a new version, or removes it', () => {
  const paid = addLeg(accepted(), leg('60.00'), now);
  const leg_id = paid.legs[0]?.leg_id ?? '';
  const less = correctLeg(paid, { leg_id, amount: '6.00' });
  expect(less).toMatchObject({ version: paid.version + 1, legs: [{ leg_id, amount: '6.00' }] });
  expect(correctLeg(paid, { leg_id })?.legs).toEqual([]);
  expect(correctLeg(paid, { leg_id: 'other' })).toBeUndefined();
});

describe('legs', () => {
  it('are summed exactly', () => {
    expect(total([{ amount: '0.10' }, { amount: '0.20' }])).toBe('0.30');
    expect(total([{ amount: '999999999999999.99' }, { amount: '0.01' }])).toBe(
      '1000000000000000.00',
    );
    expect(missingAmount('100.00', '33.33')).toBe('66.67');
    expect(missingAmount('100.00', '100.01')).toBe('0.00');
    expect(reaches('0.30', '0.3')).toBe(true);
    expect(half('0.05')).toBe('0.02');
  });

  it('complete the attempt when they reach the expected amount (R20.3)', () => {
    const first = addLeg(accepted(), leg('60.00'), now);
    expect(first).toMatchObject({ status: 'open', legs: [{ amount: '60.00', file: true }] });
    expect(addLeg(first, leg('39.99'), now).status).toBe('open');
    expect(addLeg(first, leg('40.00'), now).status).toBe('completed');
    expect(addLeg(first, leg('70.00'), now).status).toBe('completed');
  });

  it('do not change a terminal status', () => {
    const taken = withdrawAttempt(accepted(), now) as SubmittedAttempt;
    expect(addLeg(taken, leg('100.00'), now)).toMatchObject({ status: 'withdrawn' });
    const withLateMoney = addLateMoney(
      settle(accepted(), { result: 'completed' }, now),
      '5.00',
      now,
    );
    expect(withLateMoney.status).toBe('completed');
    expect(amounts(withLateMoney)).toEqual(['100.00', '5.00']);
  });

  it('have unique IDs, and each increments the version', () => {
    const record = addLeg(addLeg(accepted(), leg('1.00'), now), leg('1.00'), now);
    expect(new Set(record.legs.map(({ leg_id }) => leg_id)).size).toBe(2);
    expect(record.version).toBe(accepted().version + 2);
  });
});

describe('settle', () => {
  it.each([
    ['completed', undefined, 'completed', ['100.00']],
    ['completed', ['60.00', '40.00'], 'completed', ['60.00', '40.00']],
    ['completed', ['60.00'], 'partially_completed', ['60.00']],
    ['partial', ['60.00'], 'partially_completed', ['60.00']],
    ['partial', ['60.00', '40.00'], 'completed', ['60.00', '40.00']],
    ['partial', undefined, 'partially_completed', ['50.00']],
    ['declined', undefined, 'declined', []],
    ['expired', undefined, 'expired', []],
  ] as const)('%s with legs %j results in %s', (result, legs, status, expected) => {
    const settled = settle(accepted(), { result, legs: legs?.map(leg) }, now);
    expect(settled.status).toBe(status);
    expect(amounts(settled)).toEqual(expected);
  });

  it('adds only the missing amount to earlier legs (R20.3)', () => {
    const partlyPaid = addLeg(accepted(), leg('33.33'), now);
    expect(amounts(settle(partlyPaid, { result: 'completed' }, now))).toEqual(['33.33', '66.67']);
    expect(amounts(settle(partlyPaid, { result: 'partial' }, now))).toEqual(['33.33']);
    expect(settle(partlyPaid, { result: 'partial', legs: [leg('66.67')] }, now).status).toBe(
      'completed',
    );
    expect(settle(partlyPaid, { result: 'declined' }, now)).toMatchObject({ status: 'declined' });
  });

  it('completes a partial result of one kopeck, which has no half', () => {
    expect(settle(accepted({}, '0.01'), { result: 'partial' }, now).status).toBe('completed');
  });

  it('may contradict an earlier result', () => {
    const completed = settle(accepted(), { result: 'completed' }, now);
    const again = settle(completed, { result: 'completed' }, now);
    expect(amounts(again)).toEqual(['100.00']);
    expect(again.version).toBe(completed.version + 1);
    expect(settle(completed, { result: 'declined' }, now)).toMatchObject({ status: 'declined' });
    const cancelled = withdrawAttempt(accepted(), now) as SubmittedAttempt;
    expect(amounts(settle(cancelled, { result: 'completed' }, now))).toEqual(['100.00']);
  });

  it('decides an undecided attempt', () => {
    const hanging = accepted({ accept: 'hang' });
    expect(settle(hanging, { result: 'completed' }, now)).toMatchObject({
      acceptance: 'accepted',
      status: 'completed',
    });
    expect(settle(hanging, { result: 'declined' }, now)).toMatchObject({
      acceptance: 'refused',
      refusalReason: 'declined',
    });
  });
});

describe('expiry and autopilot', () => {
  it('expires an open attempt, unless a receipt is under review', () => {
    const open = accepted({ expires_in_s: 1 });
    expect(expireAttempt(open).status).toBe('expired');
    const reviewed = takeReceipt(open, { id: 'r', isPdf: true }, now);
    expect(expireAttempt(reviewed)).toBe(reviewed);
    const ended = settle(open, { result: 'completed' }, now);
    expect(expireAttempt(ended)).toBe(ended);
  });

  it.each([
    ['partial', 'partially_completed', ['50.00']],
    ['declined', 'declined', []],
  ])('applies autopilot_result %s', (autopilot_result, status, moved) => {
    const ended = autopilot(accepted({ autopilot_result }), now);
    expect(ended.status).toBe(status);
    expect(amounts(ended)).toEqual(moved);
  });

  it('completes an open attempt on autopilot, and a payout even if it is undecided', () => {
    expect(autopilot(accepted(), now).status).toBe('completed');
    const declined = settle(accepted(), { result: 'declined' }, now);
    expect(autopilot(declined, now)).toBe(declined);
    const unanswered = accepted({ accept: 'error' });
    expect(autopilot(unanswered, now)).toBe(unanswered);
    expect(autopilot(accepted({ accept: 'error' }, '1.00', 'payout'), now).status).toBe(
      'completed',
    );
  });
});

describe('a receipt', () => {
  const upload = (option: object, isPdf = true) =>
    takeReceipt(accepted(option), { id: 'r', isPdf }, now);

  it.each([
    ['approve', 'completed', { state: 'approved' }],
    ['potential_fake', 'open', { state: 'flagged', reason: 'potential_fake' }],
    ['not_terminal', 'open', { state: 'flagged', reason: 'not_terminal' }],
    ['flagged', 'open', { state: 'flagged' }],
    ['decline', 'declined', { state: 'declined' }],
    ['manual', 'open', { state: 'waiting' }],
  ] as const)('gets the outcome of the option: %s', (option, status, outcome) => {
    expect(upload({ review: option })).toMatchObject({
      status,
      review: { receipt_id: 'r', ...outcome },
    });
  });

  it('is flagged as not_terminal if it is not a PDF, whatever the option', () => {
    expect(upload({ review: 'approve' }, false)).toMatchObject({
      status: 'open',
      review: { state: 'flagged', reason: 'not_terminal' },
    });
  });

  it('is approved with its actual amount, else with the missing amount', () => {
    const waiting = upload({});
    const approved = reviewAttempt(waiting, { result: 'approve', actual_amount: '70.00' }, now);
    expect(approved).toMatchObject({ status: 'partially_completed', legs: [{ amount: '70.00' }] });
    const partlyPaid = addLeg(waiting, leg('30.00'), now);
    expect(reviewAttempt(partlyPaid, { result: 'approve' }, now)).toMatchObject({
      status: 'completed',
      legs: [{ amount: '30.00' }, { amount: '70.00' }],
    });
  });

  it('is required for a review', () => {
    expect(reviewAttempt(accepted(), { result: 'approve' }, now)).toBeUndefined();
  });
});
