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
import { allSupported } from './unsupported.ts';

const sandbox = new Set(['sandbox']);
const settled = { done: new Set(['post'] as const) };

describe('a provider that takes no attempt back', () => {
  const unsupported = { ...allSupported, withdrawal: sandbox };

  test('is owed no withdrawal, and is asked until it has ended the attempt (R13.17)', () => {
    const given = [admitted(), started(1), accepted(1), cancelled];
    expect(owed(given, { unsupported })).toEqual({ words: [], awaitsReport: true });
    expect(owed(given, { unsupported, silent: true }).words).toEqual(['poll_to_end 1']);
    expect(owed(given, { unsupported, silent: true, endedByProvider: new Set([1]) })).toEqual(
      nothing,
    );
  });

  test('holds up no payment that moved on to its next route', () => {
    const given = [admitted(), started(1), unresolved(1), started(2)];
    expect(owed(given, { unsupported, nowIso: at(14) })).toEqual({
      words: [],
      deadlineIso: at(15),
      awaitsReport: true,
    });
    expect(owed([...given, accepted(2)], { unsupported, silent: true }).words).toEqual([
      'ask 2 about silence',
      'poll_to_end 1',
    ]);
  });
});

describe('a provider that does not call back', () => {
  const unsupported = { ...allSupported, callbacks: sandbox };
  const given = [admitted(), started(1), accepted(1), completed];

  test('is asked after the end as well, until it has ended the attempt (R13.17)', () => {
    expect(owed(given, { unsupported, ...settled, silent: true }).words).toEqual(['poll_to_end 1']);
    expect(
      owed(given, { unsupported, ...settled, silent: true, endedByProvider: new Set([1]) }),
    ).toEqual(nothing);
    expect(owed(given, { ...settled, silent: true })).toEqual(nothing);
  });

  test('is told to withdraw what is cancelled, as any other', () => {
    expect(
      owed([admitted(), started(1), accepted(1), cancelled], { unsupported, silent: true }).words,
    ).toEqual(['withdraw 1']);
  });
});
