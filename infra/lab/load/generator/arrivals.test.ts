import { expect, it } from 'vitest';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { drawArrival, pauseMs, thinkMs } from './arrivals.ts';
import { arrivalsPerRequest, createsPerRequest, mixes, type MixName } from './kinds.ts';

const draws = 50_000;
const names = Object.keys(mixes) as MixName[];
const drawn = <T>(draw: () => T) => Array.from({ length: draws }, draw);
const mean = (figures: readonly number[]) =>
  figures.reduce((sum, one) => sum + one, 0) / figures.length;

it('spaces arrivals as a Poisson process at the requested rate', () => {
  const random = createRandom(1);
  const pauses = drawn(() => pauseMs(random, 250));
  expect(mean(pauses)).toBeGreaterThan(3.9);
  expect(mean(pauses)).toBeLessThan(4.1);
  // A share of 1 / e of exponential pauses is longer than the mean.
  const longer = pauses.filter((ms) => ms > 4).length / draws;
  expect(Math.abs(longer - 1 / Math.E)).toBeLessThan(0.01);
});

it('repeats the arrivals of a seed', () => {
  const times = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 20 }, () => [pauseMs(random, 10), drawArrival(random, 'whole')]);
  };
  expect(times(7)).toEqual(times(7));
  expect(times(7)).not.toEqual(times(8));
});

it.each(names)('draws arrivals in the proportions of the mix %s', (name) => {
  const mix = mixes[name];
  const random = createRandom(2);
  const counts = Map.groupBy(
    drawn(() => drawArrival(random, name)),
    (arrival) => arrival,
  );
  const all = Object.values(mix).reduce((sum, share) => sum + share, 0);
  for (const [arrival, share] of Object.entries(mix)) {
    const got = (counts.get(arrival as keyof typeof mix)?.length ?? 0) / draws;
    expect(Math.abs(got - share / all)).toBeLessThan(0.01);
  }
});

it.each(names)('has the arrivals and creates per request of the mix %s', (name) => {
  const mix = mixes[name];
  const followed = mix.payment_with_receipt + mix.payment_cancelled;
  const arrivals = Object.values(mix).reduce((sum, share) => sum + share, 0);
  expect(arrivals / (arrivals + followed)).toBeCloseTo(arrivalsPerRequest[name]);
  const creates = mix.payment + followed + mix.payout;
  expect(creates / (arrivals + followed)).toBeCloseTo(createsPerRequest);
});

it('limits the think time', () => {
  const random = createRandom(3);
  const waits = drawn(() => thinkMs(random, 100));
  expect(Math.max(...waits)).toBeLessThanOrEqual(400);
  expect(mean(waits)).toBeGreaterThan(90);
});
