import { describe, expect, test } from 'vitest';
import {
  at,
  admitted,
  started,
  unresolved,
  accepted,
  requested,
  reserved,
  due,
} from '../testing/steps.ts';

describe('a payout whose outcome is not known', () => {
  const given = [admitted('payout'), started(1), requested, reserved, unresolved(1)];

  test('is asked after until its provider says, and never withdrawn', () => {
    expect(due(given, {})).toEqual({ words: ['ask 1 about outcome'], awaitsReport: true });
  });
});

test('a payout is asked after for its provider’s silence alone, whatever time was named', () => {
  const given = [admitted('payout'), started(1), requested, reserved, accepted(1, at(50))];
  expect(due(given, { nowIso: at(51) })).toEqual({ words: [], awaitsReport: true });
  expect(due(given, { nowIso: at(51), silent: true }).words).toEqual(['ask 1 about silence']);
});

describe('a payment that a provider accepted', () => {
  const given = [admitted(), started(1), accepted(1, at(50))];

  test('waits for its end or the provider', () => {
    expect(due(given, { nowIso: at(49) })).toEqual({
      words: [],
      deadlineIso: at(50),
      awaitsReport: true,
    });
  });

  test('is asked after at the end of its window', () => {
    expect(due(given, { nowIso: at(50) })).toEqual({
      words: ['ask 1 about expiry'],
      awaitsReport: true,
    });
  });

  test('is not asked after twice for one end: money in part keeps it open', () => {
    expect(due(given, { nowIso: at(51), lastActivityIso: at(50) })).toEqual({
      words: [],
      awaitsReport: true,
    });
  });

  test('is asked after again when nothing came of it for long: its payer may have been asked for another receipt', () => {
    expect(due(given, { nowIso: at(59), lastActivityIso: at(52), silent: true }).words).toEqual([
      'ask 1 about expiry',
    ]);
  });

  test('is asked after when its provider has been silent for too long', () => {
    expect(due(given, { nowIso: at(40), silent: true }).words).toEqual(['ask 1 about silence']);
    expect(due([admitted(), started(1), accepted(1)], { silent: true }).words).toEqual([
      'ask 1 about silence',
    ]);
  });

  test('goes on being asked after while a lost attempt is withdrawn', () => {
    const second = [admitted(), started(1), unresolved(1), started(2), accepted(2, at(50))];
    expect(due(second, { nowIso: at(50) }).words).toEqual(['ask 2 about expiry', 'withdraw 1']);
  });
});
