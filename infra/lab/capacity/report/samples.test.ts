import { expect, it } from 'vitest';
import type { KindSample, Sample } from '#infra/lab/load/sample/sample.ts';
import { samplesToCsv } from './samples.ts';

const kind: KindSample = {
  due: 3,
  answered: 2,
  failed: 1,
  p50Ms: 1.234_567_8,
  p95Ms: 5,
  p99Ms: Number.NaN,
};
const sample: Sample = {
  atS: 1.000_4,
  seconds: 1,
  phase: 'soak',
  rate: 50,
  kinds: { payment: kind, payout: kind, confirm: kind, cancel: kind, read: kind, balances: kind },
  creates: kind,
  inFlight: 4,
  codes: {},
  webhooks: { arrived: 9, p50Ms: 20, p95Ms: 30, p99Ms: 40 },
  open: 77,
  waiting: {
    projectionLagEvents: 1,
    projectionLagS: Number.NaN,
    webhooksWaiting: 2,
    oldestWebhookS: 3,
    relayLagS: 4,
    overdueOperations: 5,
    oldestOverdueS: 6,
  },
  processes: { 'merchant-api': { cores: 0.5, memoryBytes: 1_024, ownMemoryBytes: 512 } },
  machine: { busy: 0.5, iowait: 0, steal: 0 },
};

it('is a row a second, with as many cells as columns and nothing where nothing is known', () => {
  const later: Sample = { ...sample, atS: 2, processes: {}, diskBytes: { postgres: 8_192 } };
  const [head = [], first = [], second = []] = samplesToCsv([sample, later])
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  expect(new Set([head.length, first.length, second.length]).size).toBe(1);
  expect(new Set(head).size).toBe(head.length);
  const of = (row: readonly string[]) =>
    Object.fromEntries(head.map((name, index) => [name, row[index]]));
  expect(of(first)).toMatchObject({
    atS: '1.0004',
    phase: 'soak',
    'kinds.payment.p50Ms': '1.23457',
    'kinds.payment.p99Ms': '',
    'waiting.projectionLagS': '',
    'processes.merchant-api.cores': '0.5',
    'diskBytes.postgres': '',
  });
  expect(of(second)).toMatchObject({
    'processes.merchant-api.cores': '',
    'diskBytes.postgres': '8192',
  });
});
