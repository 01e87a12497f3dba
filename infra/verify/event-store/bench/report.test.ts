import { expect, it } from 'vitest';
import { linesOf, reportOf } from './report.ts';

const measured = {
  rounds: 3,
  loops: new Map([
    [
      'append, 1 appender',
      [3, 1, 2].map((n) => ({
        operations: n * 1000,
        seconds: 1,
        p50Ms: n,
        p95Ms: n,
        p99Ms: 2 * n,
      })),
    ],
  ]),
  counts: new Map([['read $all', [100, 300, 200]]]),
};

it('prints the medians, and of the node what it used', () => {
  const node = { cpuMsPerEvent: [0.09, 0.07, 0.08], residentBytes: 105 * 1024 * 1024 };
  expect(linesOf(reportOf({ ...measured, node }))).toEqual([
    'append, 1 appender                          2000/s  p50 2 ms  p99 4 ms',
    'read $all                                    200/s',
    'node: 80 us of processor per event at 64 appenders, 105 MB resident',
  ]);
});

it('says nothing of the node when another store was measured', () => {
  const report = reportOf(measured);
  expect(linesOf(report).filter((line) => line.startsWith('node'))).toEqual([]);
  expect(Object.keys(report)).toEqual(['rounds', 'loops', 'reads']);
});
