import { describe, expect, test } from 'vitest';
import { accepted, admitted, started } from '../testing/given.ts';
import { requested, reserved } from '../testing/payouts.ts';
import { at, due, unresolved } from '../testing/steps.ts';

describe('a payout with an unknown outcome', () => {
  const history = [
    admitted({ type: 'payout' }),
    started(1),
    requested(),
    reserved(),
    unresolved(1),
  ];

  test('is polled until its provider decides, and never withdrawn (R7.6)', () => {
    expect(due(history, {})).toEqual({ words: ['poll 1 about outcome'], awaitsReport: true });
  });
});

test('a payout is polled only after its provider’s silence, not at its expiry time (R6.8)', () => {
  const history = [
    admitted({ type: 'payout' }),
    started(1),
    requested(),
    reserved(),
    accepted(1, { expires_at: at(50) }),
  ];
  expect(due(history, { nowIso: at(51) })).toEqual({ words: [], awaitsReport: true });
  expect(due(history, { nowIso: at(51), silent: true }).words).toEqual(['poll 1 about silence']);
});

describe('an accepted payment', () => {
  const history = [admitted(), started(1), accepted(1, { expires_at: at(50) })];

  test('is not polled within its window', () => {
    expect(due(history, { nowIso: at(49) })).toEqual({
      words: [],
      deadlineIso: at(50),
      awaitsReport: true,
    });
  });

  test('is polled at the end of its window', () => {
    expect(due(history, { nowIso: at(50) })).toEqual({
      words: ['poll 1 about expiry'],
      awaitsReport: true,
    });
  });

  test('is polled once at the end of its window', () => {
    expect(due(history, { nowIso: at(51), lastActivityIso: at(50) })).toEqual({
      words: [],
      awaitsReport: true,
    });
  });

  test('is polled again after a long silence, as another receipt may have been requested', () => {
    expect(due(history, { nowIso: at(59), lastActivityIso: at(52), silent: true }).words).toEqual([
      'poll 1 about expiry',
    ]);
  });

  test('is polled when its provider has been silent for too long (R13.6)', () => {
    expect(due(history, { nowIso: at(40), silent: true }).words).toEqual(['poll 1 about silence']);
    expect(due([admitted(), started(1), accepted(1)], { silent: true }).words).toEqual([
      'poll 1 about silence',
    ]);
  });

  test('continues to be polled while another attempt is withdrawn', () => {
    const second = [
      admitted(),
      started(1),
      unresolved(1),
      started(2),
      accepted(2, { expires_at: at(50) }),
    ];
    expect(due(second, { nowIso: at(50) }).words).toEqual(['poll 2 about expiry', 'withdraw 1']);
  });
});
