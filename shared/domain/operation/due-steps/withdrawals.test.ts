import { describe, expect, it } from 'vitest';
import { accepted, admitted, cancelled, given, started } from '../testing/given.ts';
import { attemptsToWithdraw, noteWithdrawal } from './withdrawals.ts';

describe('withdrawal', () => {
  const due = (history: ReturnType<typeof given>) => attemptsToWithdraw(history.state as never);
  it('is due for an unneeded attempt that its provider may still carry out (R7.11)', () => {
    expect(due(given(admitted(), started(), accepted()))).toEqual([]);
    expect(due(given(admitted(), started(), accepted(), cancelled))).toEqual([1]);
    expect(due(given(admitted(), started(), cancelled))).toEqual([1]);
    const unresolved = {
      type: 'AttemptUnresolved',
      data: { attempt: 1, cause: 'timeout' },
    } as const;
    expect(due(given(admitted(), started(), unresolved, started(2), accepted(2)))).toEqual([1]);
  });

  it('is recorded once', () => {
    given(admitted(), started(), cancelled)
      .when(noteWithdrawal, 1)
      .thenEvents({ type: 'AttemptWithdrawn', data: { attempt: 1 } })
      .when(noteWithdrawal, 1)
      .thenNothing();
  });
});
