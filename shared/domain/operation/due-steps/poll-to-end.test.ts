import { describe, expect, test } from 'vitest';
import { accepted, admitted, cancelled, started } from '../testing/given.ts';
import { at, completed, nothing, due, unresolved } from '../testing/steps.ts';
import { allSupported } from './withdrawals.ts';

const sandbox = new Set(['sandbox']);
const settled = { done: new Set(['post'] as const) };

describe('a provider without withdrawals', () => {
  const unsupported = { ...allSupported, withdrawal: sandbox };

  test('has no withdrawal due, and is polled until it has ended the attempt (R13.17)', () => {
    const history = [admitted(), started(1), accepted(1), cancelled];
    expect(due(history, { unsupported })).toEqual({ words: [], awaitsReport: true });
    expect(due(history, { unsupported, silent: true }).words).toEqual(['poll_to_end 1']);
    expect(due(history, { unsupported, silent: true, endedByProvider: new Set([1]) })).toEqual(
      nothing,
    );
  });

  test('does not delay a payment that moved on to its next route', () => {
    const history = [admitted(), started(1), unresolved(1), started(2)];
    expect(due(history, { unsupported, nowIso: at(14) })).toEqual({
      words: [],
      deadlineIso: at(15),
      awaitsReport: true,
    });
    expect(due([...history, accepted(2)], { unsupported, silent: true }).words).toEqual([
      'poll 2 about silence',
      'poll_to_end 1',
    ]);
  });
});

describe('a provider without callbacks', () => {
  const unsupported = { ...allSupported, callbacks: sandbox };
  const history = [admitted(), started(1), accepted(1), completed];

  test('is polled after the terminal status too, until it has ended the attempt (R13.17)', () => {
    expect(due(history, { unsupported, ...settled, silent: true }).words).toEqual([
      'poll_to_end 1',
    ]);
    expect(
      due(history, { unsupported, ...settled, silent: true, endedByProvider: new Set([1]) }),
    ).toEqual(nothing);
    expect(due(history, { ...settled, silent: true })).toEqual(nothing);
  });

  test('gets withdrawals of cancelled operations like any other', () => {
    expect(
      due([admitted(), started(1), accepted(1), cancelled], { unsupported, silent: true }).words,
    ).toEqual(['withdraw 1']);
  });
});
