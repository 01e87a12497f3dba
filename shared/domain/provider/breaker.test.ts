import { describe, expect, it } from 'vitest';
import { afterCall, closedBreaker, mayTry, type Breaker, type BreakerTurn } from './breaker.ts';

const policy = { windowMs: 1_000, minCalls: 4, openAt: 0.5, pauseMs: 500 };

/** Calls one millisecond apart; `!` for an unknown outcome. */
function given(calls: string, from: Breaker = closedBreaker(0), atMs = 0): BreakerTurn {
  let turn: BreakerTurn = { breaker: from };
  for (const [index, call] of Array.from(calls).entries())
    turn = ended(turn.breaker, call, { beganMs: atMs + index, atMs: atMs + index });
  return turn;
}
const ended = (breaker: Breaker, call: string, times: { beganMs: number; atMs: number }) =>
  afterCall(breaker, { unknown: call === '!', ...times }, policy);
const may = (breaker: Breaker, atMs: number) => mayTry(breaker, atMs, policy).may;

describe('circuit breaker', () => {
  it.each(['...!', '!!!', '', '!...!'])(
    'stays closed after %j: too few unknown outcomes or calls',
    (calls) => {
      const { breaker, opened } = given(calls);
      expect([breaker.phase, opened, may(breaker, 10)]).toEqual(['closed', undefined, true]);
    },
  );

  it.each(['.!.!', '!!!!', '!!..!'])('opens after %j, with its counts (R7.16)', (calls) => {
    const { breaker, opened } = given(calls);
    expect(opened).toEqual({
      calls: calls.length,
      unknown: Array.from(calls).filter((call) => call === '!').length,
    });
    expect([may(breaker, 10), breaker.phase]).toEqual([false, 'open']);
  });

  it('is not opened by a success after any number of unknown outcomes', () => {
    expect(given('!!!.').breaker.phase).toBe('closed');
    expect(given('!!!.!').breaker.phase).toBe('open');
  });

  it('forgets outcomes older than two windows', () => {
    const old = given('!!!').breaker;
    expect(given('!', old, 1_500).opened).toEqual({ calls: 4, unknown: 4 });
    expect(given('!', old, 2_100).breaker.phase).toBe('closed');
  });

  it('allows one probe after the pause, and no other call until its outcome (R7.16)', () => {
    const { breaker: open } = given('!!!!');
    expect(may(open, 502)).toBe(false);
    const { may: first, breaker: trying } = mayTry(open, 503, policy);
    expect([first, trying.phase, may(trying, 504)]).toEqual([true, 'trying', false]);
    expect(given('!', trying, 600)).toEqual({ breaker: { phase: 'open', untilMs: 1_100 } });
    expect(given('.', trying, 600)).toEqual({ breaker: closedBreaker(600), closed: true });
    // The outcome of the probe never arrived.
    expect(may(trying, 1_003)).toBe(true);
  });

  it('is decided by the probe, not by calls that started before (R7.16)', () => {
    const { breaker: trying } = mayTry(given('!!!!').breaker, 503, policy);
    for (const call of ['!', '.'])
      expect(ended(trying, call, { beganMs: 2, atMs: 600 })).toEqual({ breaker: trying });
    // A probe that is slower than the pause still counts, even during the next probe.
    const { breaker: again } = mayTry(trying, 1_003, policy);
    expect(ended(again, '.', { beganMs: 503, atMs: 1_100 }).closed).toBe(true);
  });

  it('ignores calls that end while it is open', () => {
    const { breaker: open } = given('!!!!');
    expect(given('..!', open, 100)).toEqual({ breaker: open });
  });
});
