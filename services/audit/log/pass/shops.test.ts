import { expect, it } from 'vitest';
import { limitsSince } from './shops.ts';

const startMs = Date.parse('2026-01-31T12:00:00.000Z');
const at = (seconds: number) => startMs + seconds * 1_000;

it('accepts the overdraft limits since the admission and in the minute before (R18.2)', () => {
  const floors = ['10.00', '20.00', '30.00'].map((RUB, index) => ({
    fromMs: at(index * 100),
    limits: { RUB },
  }));
  const since = (seconds: number) =>
    limitsSince({ floors }, { currency: 'RUB', sinceMs: at(seconds) });
  expect(since(100)).toEqual(['10.00', '20.00', '30.00']);
  expect(since(160)).toEqual(['10.00', '20.00', '30.00']);
  expect(since(161)).toEqual(['20.00', '30.00']);
  expect(since(300)).toEqual(['30.00']);
});
