import { expect, it } from 'vitest';
import { bendsIn, usualP99Ms, type StepFigures } from './bend.ts';
import type { Point } from './trend.ts';

const series = (value: (second: number) => number): Point[] =>
  Array.from({ length: 24 }, (_, second) => [second, value(second)]);
const flat = series(() => 0.02);

const holds: StepFigures = {
  rate: 200,
  seconds: 24,
  due: 4_800,
  answered: 4_790,
  created: 2_690,
  createsP99Ms: 80,
  open: series((second) => 330 + (second % 5) * 10),
  projectionLagS: flat,
  webhookAgeS: flat,
};
const usualMs = 30;

it('holds while answers keep up, creates are fast and no backlog grows', () => {
  expect(bendsIn(holds, usualMs)).toEqual([]);
});

it('bends if less than 95 % of the due requests are answered', () => {
  expect(bendsIn({ ...holds, answered: 4_561 }, usualMs)).toEqual([]);
  expect(bendsIn({ ...holds, answered: 4_559 }, usualMs)).toEqual([
    '95.0 % of the requests that became due were answered',
  ]);
});

it('bends if creates take more than ten times as long as with few requests', () => {
  expect(bendsIn({ ...holds, createsP99Ms: 299 }, usualMs)).toEqual([]);
  expect(bendsIn({ ...holds, createsP99Ms: 301 }, usualMs)).toEqual([
    'p99 of creates was 301 ms, with few requests 30 ms',
  ]);
});

it('bends if operations begin faster than they end', () => {
  const open = series((second) => 330 + second * 7);
  expect(bendsIn({ ...holds, open }, usualMs)).toEqual([
    'of 2690 operations that began, 168 more were open at the end',
  ]);
});

it('bends if read models or webhooks fall behind steadily, but not for a moment', () => {
  const growing = series((second) => second * 0.1);
  const stall = series((second) => (second === 12 ? 9 : 0.01));
  expect(bendsIn({ ...holds, projectionLagS: growing }, usualMs)).toEqual([
    'read models were 2.4 s later at the end than at the beginning',
  ]);
  expect(bendsIn({ ...holds, webhookAgeS: growing }, usualMs)).toEqual([
    'webhooks were 2.4 s later at the end than at the beginning',
  ]);
  expect(bendsIn({ ...holds, projectionLagS: stall, webhookAgeS: stall }, usualMs)).toEqual([]);
});

it('bends if the lag of read models is unknown most of the time, but not for a few seconds', () => {
  const silent = series((second) => (second < 13 ? Number.NaN : 0.02));
  expect(bendsIn({ ...holds, projectionLagS: silent }, usualMs)).toEqual([
    'for 13 s of 24 nothing could show how late read models were',
  ]);
  const once = series((second) => (second < 5 ? Number.NaN : 0.02));
  expect(bendsIn({ ...holds, projectionLagS: once }, usualMs)).toEqual([]);
});

it('reports every reason', () => {
  const growing = series((second) => second);
  const all = {
    ...holds,
    answered: 10,
    createsP99Ms: 5_000,
    open: series((second) => second * 50),
  };
  expect(bendsIn({ ...all, projectionLagS: growing, webhookAgeS: growing }, usualMs)).toHaveLength(
    5,
  );
});

it('uses the lowest p99 of the first three steps as the base, and at least 25 ms', () => {
  const steps = [90, 40, 60, 26].map((createsP99Ms) => ({ createsP99Ms }));
  expect(usualP99Ms(steps)).toBe(40);
  expect(usualP99Ms([{ createsP99Ms: 8 }])).toBe(25);
});
