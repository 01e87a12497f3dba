import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDeadlines } from './deadlines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends each attempt at its deadline, except finished ones', () => {
  const deadlines = createDeadlines(100);
  const late: string[] = [];
  deadlines.begin(() => late.push('first'));
  vi.advanceTimersByTime(60);
  const over = deadlines.begin(() => late.push('over'));
  deadlines.begin(() => late.push('second'));
  over();
  vi.advanceTimersByTime(39);
  expect(late).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(late).toEqual(['first']);
  vi.advanceTimersByTime(59);
  expect(late).toEqual(['first']);
  vi.advanceTimersByTime(1);
  expect(late).toEqual(['first', 'second']);
});

it('works after an idle time, with one timer for all attempts', () => {
  const deadlines = createDeadlines(100);
  deadlines.begin(() => undefined)();
  vi.advanceTimersByTime(1_000);
  const late: number[] = [];
  for (let at = 0; at < 3; at += 1) deadlines.begin(() => late.push(at));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(100);
  expect(late).toEqual([0, 1, 2]);
  expect(vi.getTimerCount()).toBe(0);
});

it('ends all attempts immediately on request', () => {
  const deadlines = createDeadlines(100);
  const ended: number[] = [];
  for (let at = 0; at < 3; at += 1) deadlines.begin(() => ended.push(at));
  deadlines.endAll();
  vi.advanceTimersByTime(200);
  expect(ended).toEqual([0, 1, 2]);
});
