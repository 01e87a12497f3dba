import { expect, it } from 'vitest';
import { renderSection } from './table.ts';

const one = (median: number) => ({ median, min: median - 1, max: median + 1 });

it('a section is a table with medians, ranges and ratios', () => {
  const times = { p50Ms: one(2), p95Ms: one(3), p99Ms: one(4), tail: one(2) };
  const row = {
    perSecond: one(500),
    ...times,
    cpuMicros: one(900),
    stolen: { median: 0.02, min: 0, max: 0.03 },
  };
  const text = renderSection({
    name: 'Creates',
    about: 'Payments created.',
    rows: [
      { name: 'minimal', ...row, ratios: [] },
      {
        name: 'gateway',
        ...row,
        ratios: [{ to: 'minimal', ratio: { median: 0.9, min: 0.8, max: 1 } }],
      },
    ],
    figures: [{ name: 'p99', unit: 'ms', value: one(12) }],
  });
  expect(text).toBe(`
Creates
Payments created.

            per second  p50 ms  p95 ms  p99 ms  CPU µs/op  stolen                        ratio
minimal  500 [499–501]     2.0     3.0     4.0        900     2 %
gateway  500 [499–501]     2.0     3.0     4.0        900     2 %  0.90 [0.80–1.00] of minimal
p99  12.0 [11.0–13.0] ms
`);
});
