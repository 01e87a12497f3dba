import { Counter, Gauge, Histogram } from 'prom-client';
import { entryKinds } from '#shared/domain/ledger/events.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Ledgers, PostRequest, PostResult } from './types.ts';

export type LedgerMetrics = {
  /** The outcome of a write, and how many entries it had. */
  onBatch(outcome: 'appended' | 'conflict' | 'unknown', entries: number): void;
  onPost(kind: PostRequest['kind'], result: PostResult | undefined, startedAt: number): void;
};

/** Counts entries and writes, at some 2 µs each. A scrape reads `load`. */
export function createLedgerMetrics(registry: Metrics, load: Ledgers['load']): LedgerMetrics {
  const registers = [registry];
  const batches = new Counter({
    name: 'gateway_ledger_batches_total',
    help: 'Writes to ledgers, by outcome; conflict: another process wrote first, and the batch is retried',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['appended', 'conflict', 'unknown']) batches.inc({ outcome }, 0);
  const entries = new Histogram({
    name: 'gateway_ledger_batch_entries',
    help: 'Entries in a write',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const duration = new Histogram({
    name: 'gateway_ledger_post_duration_seconds',
    help: 'Time to post an entry, by outcome; undecided: not known yet; failed: it contradicts the ledger',
    labelNames: ['kind', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  // A series that begins at 1 has no increase, so the first contradiction would be no alert.
  for (const kind of entryKinds)
    for (const outcome of ['undecided', 'failed']) duration.zero({ kind, outcome });
  const gauge = (name: string, help: string, value: () => number) => {
    const metric: Gauge = new Gauge({ name, help, registers, collect: () => metric.set(value()) });
  };
  gauge(
    'gateway_ledger_commands_waiting',
    'Commands that wait for their entry',
    () => load().waiting,
  );
  gauge('gateway_ledger_owners', 'Ledgers that this process holds in memory', () => load().owners);
  return {
    onBatch: (outcome, count) => {
      batches.inc({ outcome });
      entries.observe(count);
    },
    onPost: (kind, result, startedAt) => {
      const outcome =
        result?.outcome === 'posted' && result.repeated
          ? 'repeated'
          : (result?.outcome ?? 'failed');
      duration.observe({ kind, outcome }, (performance.now() - startedAt) / 1000);
    },
  };
}
