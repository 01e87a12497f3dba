import { describe, expect, test } from 'vitest';
import {
  accepted,
  admitted,
  at,
  cancelled,
  completed,
  nothing,
  owed,
  started,
  unresolved,
} from '../testing/steps.ts';
import { lackingNothing } from './lacking.ts';

const sandbox = new Set(['sandbox']);
const settled = { done: new Set(['post'] as const) };

describe('a provider that takes no attempt back', () => {
  const lacking = { ...lackingNothing, withdrawal: sandbox };

  test('is owed no withdrawal, and is asked until it has ended the attempt (R13.17)', () => {
    const given = [admitted(), started(1), accepted(1), cancelled];
    expect(owed(given, { lacking })).toEqual({ words: [], awaitsReport: true });
    expect(owed(given, { lacking, silent: true }).words).toEqual(['hear_out 1']);
    expect(owed(given, { lacking, silent: true, heardOut: new Set([1]) })).toEqual(nothing);
  });

  test('holds up no payment that moved on to its next route', () => {
    const given = [admitted(), started(1), unresolved(1), started(2)];
    expect(owed(given, { lacking, nowIso: at(14) })).toEqual({
      words: [],
      deadlineIso: at(15),
      awaitsReport: true,
    });
    expect(owed([...given, accepted(2)], { lacking, silent: true }).words).toEqual([
      'ask 2 about silence',
      'hear_out 1',
    ]);
  });
});

describe('a provider that does not call back', () => {
  const lacking = { ...lackingNothing, callbacks: sandbox };
  const given = [admitted(), started(1), accepted(1), completed];

  test('is asked after the end as well, until it has ended the attempt (R13.17)', () => {
    expect(owed(given, { lacking, ...settled, silent: true }).words).toEqual(['hear_out 1']);
    expect(owed(given, { lacking, ...settled, silent: true, heardOut: new Set([1]) })).toEqual(nothing);
    expect(owed(given, { ...settled, silent: true })).toEqual(nothing);
  });

  test('is told to withdraw what is cancelled, as any other', () => {
    expect(owed([admitted(), started(1), accepted(1), cancelled], { lacking, silent: true }).words).toEqual([
      'withdraw 1',
    ]);
  });
});
