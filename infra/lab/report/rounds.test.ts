import { expect, it } from 'vitest';
import { cpuMicros, inRounds, computeRatio, type RoundSample } from './rounds.ts';

/** A case whose successive runs report these shares of stolen CPU time. */
function caseOf(...stolen: number[]) {
  let runs = 0;
  const run = () => {
    const share = stolen[runs] ?? 0;
    runs += 1;
    const load = { operations: 100 * runs, seconds: 1, p50Ms: 2, p95Ms: 4, p99Ms: 6 };
    return Promise.resolve<RoundSample>({ ...load, cpuMs: 10, stolen: share });
  };
  return { each: { name: 'case', run }, runs: () => runs };
}

it('repeats a round that other machines disturbed', async () => {
  const { each, runs } = caseOf(0.2, 0.01);
  const [row] = await inRounds([each], { rounds: 1, warmUpRounds: 0 });
  expect(runs()).toBe(2);
  expect(row?.perSecond.median).toBe(200);
  expect(row?.stolen.max).toBe(0.01);
});

it('uses the least disturbed of six runs if all are disturbed', async () => {
  const { each, runs } = caseOf(0.5, 0.4, 0.1, 0.3, 0.2, 0.6);
  const [row] = await inRounds([each], { rounds: 1, warmUpRounds: 0 });
  expect(runs()).toBe(6);
  expect(row?.perSecond.median).toBe(300);
});

it('runs a warm-up round once, and discards its figures', async () => {
  const { each, runs } = caseOf(0.5, 0);
  const [row] = await inRounds([each], { rounds: 1, warmUpRounds: 1 });
  expect(runs()).toBe(2);
  expect(row?.perSecond).toEqual({ median: 200, min: 200, max: 200 });
});

it('computes ratios between figures of the same round', () => {
  const load = { seconds: 1, p50Ms: 2, p95Ms: 4, p99Ms: 6, stolen: 0 };
  const sample = (cpuMs: number, operations: number): RoundSample => ({
    ...load,
    cpuMs,
    operations,
  });
  const own = [sample(30, 10), sample(100, 10)];
  const others = [sample(10, 10), sample(40, 20)];
  expect(own.map(cpuMicros)).toEqual([3_000, 10_000]);
  expect(computeRatio(own, others, cpuMicros)).toEqual({ median: 4, min: 3, max: 5 });
});
