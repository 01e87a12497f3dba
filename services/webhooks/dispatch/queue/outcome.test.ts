import { describe, expect, it } from 'vitest';
import { afterAttempt, type AttemptOutcome, type PendingMessage } from './outcome.ts';

const retry = { scheduleMs: [0, 1_000, 10_000], random: () => 0.5 };
const claimed: PendingMessage = {
  claimToken: 'mine',
  attemptCount: 0,
  roundStart: 0,
  nudged: false,
};
const after = (outcome: AttemptOutcome, message: Partial<PendingMessage> = {}, token = 'mine') =>
  afterAttempt({ ...claimed, ...message }, { token, outcome }, retry);

describe('after an attempt, a message', () => {
  it('is delivered', () => {
    expect(after({ kind: 'delivered' })).toEqual({ status: 'delivered' });
  });

  it('waits for its next attempt, or is exhausted after the last', () => {
    const failed = { kind: 'failed' } as const;
    expect(after(failed)).toEqual({ status: 'pending', delayMs: 1_000, holdMs: 0, roundStart: 0 });
    expect(after(failed, { attemptCount: 1 })).toMatchObject({ delayMs: 10_000 });
    expect(after(failed, { attemptCount: 2 })).toEqual({ status: 'exhausted' });
  });

  it('counts its attempts from the redelivery on', () => {
    const failed = { kind: 'failed' } as const;
    expect(after(failed, { attemptCount: 3, roundStart: 3 })).toMatchObject({ delayMs: 1_000 });
    expect(after(failed, { attemptCount: 5, roundStart: 3 })).toEqual({ status: 'exhausted' });
  });

  it('is due immediately if a newer one of its operation exists, except for Retry-After', () => {
    expect(after({ kind: 'failed' }, { nudged: true })).toMatchObject({ delayMs: 0 });
    expect(after({ kind: 'failed', retryAfterMs: 700 }, { nudged: true })).toMatchObject({
      delayMs: 700,
      holdMs: 700,
    });
    expect(after({ kind: 'failed' }, { nudged: true, attemptCount: 2 })).toEqual({
      status: 'exhausted',
    });
  });

  it('that got a 410 waits, and the attempt does not count', () => {
    expect(after({ kind: 'gone' }, { attemptCount: 2 })).toEqual({
      status: 'pending',
      delayMs: 0,
      holdMs: 0,
      roundStart: 1,
    });
  });

  it('that was not sent is due again', () => {
    expect(after({ kind: 'released' }, { attemptCount: 2, roundStart: 1 })).toEqual({
      status: 'pending',
      delayMs: 0,
      holdMs: 0,
      roundStart: 1,
    });
  });

  it('is unchanged if another process has claimed it since', () => {
    for (const kind of ['delivered', 'failed', 'gone', 'released'] as const) {
      expect(after({ kind }, {}, 'older')).toEqual({ status: 'unchanged' });
    }
    expect(after({ kind: 'delivered' }, { claimToken: null })).toEqual({ status: 'unchanged' });
  });
});
