import { expect, it } from 'vitest';
import type { LoadStep } from '#infra/lab/load/driver.ts';
import type { CapacitySearch } from '../search.ts';
import { verdictLines } from './verdicts.ts';

const step = (rate: number, ...reasons: string[]) =>
  ({ figures: { rate, seconds: 10, created: rate * 5 }, reasons }) as unknown as LoadStep;

const search = (held: number | undefined, bend?: number): CapacitySearch => ({
  steps: [],
  held: held === undefined ? undefined : step(held),
  bend: bend === undefined ? undefined : step(bend, 'it was too much'),
});

const run = {
  search: search(98, 122),
  soak: undefined,
  machine: { cores: 2 },
  rest: { findings: [], totals: { ended: 5, webhooks: 6 } },
} as unknown as Parameters<typeof verdictLines>[0];

it('reports the rate that holds, and the rate that bends with its reason', () => {
  expect(verdictLines(run)).toEqual([
    'Holds 98 requests a second (49 new operations a second); bends at 122: it was too much.',
    'At rest every operation had ended (5), every webhook had come (6), and the audit found nothing.',
  ]);
});

it('reports the rate of the counterpart, and the gateway’s share of it', () => {
  const [, gateway, counterpart] = verdictLines({
    ...run,
    comparison: { gateway: search(120, 150), counterpart: search(300) },
  });
  expect(gateway).toMatch(
    /^Without receipts, .*: Holds 120 .*; bends at 150: .* That is 0\.40 of the/,
  );
  expect(counterpart).toMatch(
    /^The CRUD counterpart: Holds 300 .*; no rate that was tried bent\.$/,
  );
});

it('reports no share if the counterpart held no rate', () => {
  const comparison = { gateway: search(120), counterpart: search(undefined, 40) };
  expect(verdictLines({ ...run, comparison }).join('\n')).not.toContain('That is');
});
