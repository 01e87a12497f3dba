import { describe, expect, it } from 'vitest';
import type { WireSubmission } from '#shared/application/providers/sandbox/wire.ts';
import { amountScenarios, scenarioRanges } from '#shared/application/providers/sandbox/amounts.ts';
import { closeAttempt, decide, receive, withdrawAttempt } from './acceptance.ts';
import { readSandboxOptions } from './options.ts';
import { findControlledAttempt, parseKey, toSnapshot, type SandboxContext } from './record.ts';
import { computeTimers } from './timers.ts';

const now: SandboxContext = { nowMs: Date.parse('2026-01-31T12:00:00.000Z'), newId: () => 'id' };
const ref = { key: 'op.1', operationId: 'op', attempt: 1 };
const body: WireSubmission = {
  type: 'payment',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
  client_id: 'c',
};
const submitted = (options: object = {}, change: Partial<WireSubmission> = {}) => {
  const typed = options as NonNullable<WireSubmission['options']>;
  return receive(ref, { body: { ...body, options: typed, ...change }, hash: 'hash' }, now);
};

describe('the decision on a submission', () => {
  it('accepts a payment with requisites, and adds no expiry or rate unless requested', () => {
    expect(toSnapshot(submitted())).toEqual({
      key: 'op.1',
      operation_id: 'op',
      attempt: 1,
      version: 2,
      acceptance: 'accepted',
      reference: 'sbx_id',
      requisites: { number: expect.stringMatching(/^\d{16}$/), name: expect.any(String) },
      status: 'open',
      legs: [],
      evidence: 'legs',
    });
  });

  it('gives a payout no requisites and no expiry', () => {
    const payout = submitted(
      { expires_in_s: 5 },
      { type: 'payout', destination: { number: '4242' } },
    );
    expect(payout).toMatchObject({ acceptance: 'accepted', status: 'open' });
    expect(payout).not.toHaveProperty('requisites');
    expect(payout).not.toHaveProperty('expiresAt');
  });

  it('refuses when the options ask for it, and names invalid options', () => {
    expect(submitted({ accept: 'decline' })).toMatchObject({
      acceptance: 'refused',
      refusalReason: 'declined',
    });
    expect(submitted({ accpet: 'decline', expires_in_s: -1 })).toMatchObject({
      acceptance: 'refused',
      refusalReason: 'options_invalid: expires_in_s, accpet',
      status: 'declined',
    });
  });

  it('delays the response by a timer, and clears that with the decision', () => {
    const delayed = submitted({ accept_delay_ms: 250, accept: 'decline' });
    expect(delayed.acceptance).toBe('received');
    expect(computeTimers(delayed)).toEqual({ decide: now.nowMs + 250 });
    const decided = decide(delayed, now);
    expect(decided.acceptance).toBe('refused');
    expect(computeTimers(decided)).toEqual({});
  });

  it.each(['error', 'hang'])('leaves `accept: %s` undecided', (accept) => {
    const record = submitted({ accept, accept_delay_ms: 10 });
    expect(decide(record, now)).toMatchObject({ acceptance: 'received', status: 'open' });
    expect(computeTimers(decide(record, now))).toEqual({});
  });

  it('starts the autopilot on acceptance, and for a payout even without a response', () => {
    expect(computeTimers(submitted({ autopilot_ms: 70 }))).toEqual({ autopilot: now.nowMs + 70 });
    expect(computeTimers(submitted({ autopilot_ms: 70, accept: 'hang' }))).toEqual({});
    expect(
      computeTimers(submitted({ autopilot_ms: 70, accept: 'hang' }, { type: 'payout' })),
    ).toEqual({
      autopilot: now.nowMs + 70,
    });
  });

  it('quotes a converting route at the option’s rate, else its own, with six decimals', () => {
    const converting = { settlement_currency: 'USD' };
    expect(submitted({ fx_rate: '0.0125' }, converting).fxRate).toBe('0.012500');
    expect(submitted({}, converting).fxRate).toBe('0.012500');
    expect(submitted({}, { settlement_currency: 'EUR', currency: 'USDT' }).fxRate).toBe('0.869565');
    expect(submitted({ fx_rate: '0.0125' }).fxRate).toBeUndefined();
    expect(submitted({}, { settlement_currency: 'XXX' })).toMatchObject({
      acceptance: 'refused',
      refusalReason: 'no_quote',
    });
  });
});

describe('an amount that selects options', () => {
  const receiveAmount = (byAmount: boolean, options: Record<string, string> = {}) =>
    receive(ref, { body: { ...body, amount: '1002.00', options }, hash: 'hash', byAmount }, now);

  it('applies only if enabled and if the route has no options of its own (R20.7)', () => {
    expect(receiveAmount(true)).toMatchObject({ acceptance: 'refused', refusalReason: 'declined' });
    expect(receiveAmount(true, { review: 'approve' })).toMatchObject({ acceptance: 'accepted' });
    expect(receiveAmount(false)).toMatchObject({ acceptance: 'accepted' });
  });

  it.each(amountScenarios)(
    '$type $amount is unique, within its route’s range, and has valid options',
    (scenario) => {
      const { type, amount, options } = scenario;
      expect(readSandboxOptions(options)).toMatchObject({ ok: true });
      const same = amountScenarios.filter((each) => each.type === type && each.amount === amount);
      expect(same).toEqual([scenario]);
      const { min_amount, max_amount } = scenarioRanges[scenario.receipt ? 'receipts' : 'plain'];
      expect([min_amount, amount, max_amount].toSorted()[1]).toBe(amount);
    },
  );
});

describe('a withdrawal', () => {
  it('withdraws an open attempt, and refuses an undecided one', () => {
    expect(withdrawAttempt(submitted(), now)).toMatchObject({
      acceptance: 'accepted',
      status: 'withdrawn',
    });
    expect(withdrawAttempt(submitted({ accept: 'hang' }), now)).toMatchObject({
      acceptance: 'refused',
      refusalReason: 'withdrawn',
      status: 'withdrawn',
    });
  });

  it('counts repeats, and changes nothing else', () => {
    const once = withdrawAttempt(submitted(), now);
    const twice = withdrawAttempt(once, { ...now, nowMs: now.nowMs + 5 });
    expect(twice).toEqual({ ...once, withdrawal: { at: '2026-01-31T12:00:00.000Z', times: 2 } });
  });

  it('voids a key that was never submitted', () => {
    expect(toSnapshot(withdrawAttempt(closeAttempt(ref), now))).toMatchObject({
      acceptance: 'void',
      status: 'withdrawn',
    });
  });
});

describe('attempts of an operation', () => {
  it('have keys of the form <operation>.<attempt>', () => {
    expect(parseKey('1f3c-a.12')).toEqual({ operationId: '1f3c-a', attempt: 12 });
    for (const bad of ['op', 'op.0', 'op.01', '.1', 'a b.1', `${'x'.repeat(65)}.1`])
      expect(parseKey(bad)).toBeUndefined();
  });

  it('are controlled through the accepted one, else the newest submitted one', () => {
    const first = submitted({ accept: 'decline' });
    const accepted = { ...submitted(), attempt: 2, key: 'op.2' };
    const third = { ...submitted({ accept: 'hang' }), attempt: 3, key: 'op.3' };
    const unused = closeAttempt({ ...ref, attempt: 4, key: 'op.4' });
    expect(findControlledAttempt([first, accepted, third, unused])?.attempt).toBe(2);
    expect(findControlledAttempt([first, third, unused])?.attempt).toBe(3);
    expect(
      findControlledAttempt([first, { ...accepted, status: 'withdrawn' }, third])?.attempt,
    ).toBe(2);
    expect(findControlledAttempt([unused])).toBeUndefined();
  });
});
