import { describe, expect, it } from 'vitest';
import { Problem, renderProblem } from './problems.ts';
import { retryAfterSeconds } from './retry-after.ts';

const least = () => 0;
const most = () => 1 - Number.EPSILON;

describe('Retry-After', () => {
  it.each([
    [0, 1, 3],
    [1_000, 1, 3],
    [1_001, 2, 4],
    [30_000, 30, 37],
    [100_000, 100, 125],
    [1_000_000, 1_000, 1_030],
  ])('of %d ms is between %d and %d s (R2.9)', (ms, shortest, longest) => {
    expect(retryAfterSeconds(ms, least)).toBe(shortest);
    expect(retryAfterSeconds(ms, most)).toBe(longest);
  });

  it('of clients that are refused together differs (R2.9)', () => {
    const problem = new Problem('rate_limited', { retryAfterMs: 10_000 });
    const randoms = [0.1, 0.4, 0.9];
    const seconds = randoms.map((value) => {
      const random = () => value;
      const { headers } = renderProblem(problem, { path: '/', requestId: 'request-1', random });
      return headers['retry-after'];
    });
    expect(seconds).toEqual(['10', '11', '12']);
  });

  it('is only in answers that can be retried, and those of an overload have their own (R2.9)', () => {
    const request = { path: '/', requestId: 'request-1', random: most };
    expect(renderProblem(new Problem('not_found'), request).headers).not.toHaveProperty(
      'retry-after',
    );
    const own = new Problem('not_ready', { headers: { 'Retry-After': '5' } });
    expect(renderProblem(own, request).headers['retry-after']).toBe('5');
  });
});
