import { setTimeout as delay } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import { createRuns, readStandstillMs } from '#shared/application/payout-batches/batches.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';

type WatchOptions = {
  store: Pick<EventStore, 'read'>;
  /** Milliseconds; undefined while this process does not lead. */
  onStandstill(ms: number | undefined): void;
  logger: Logger;
  pollEveryMs?: number;
  now(): number;
  signal: AbortSignal;
};

/** Measures for how long confirmed files of payouts got no result, until the signal (R24.11). */
export async function watchPayoutFiles(options: WatchOptions): Promise<void> {
  const { store, onStandstill, logger, pollEveryMs = 60_000, now, signal } = options;
  const runs = createRuns(store);
  while (!signal.aborted) {
    try {
      onStandstill(await readStandstillMs(store, await runs.current(), now()));
    } catch (err) {
      logger.warn({ err }, 'the progress of files of payouts could not be read, and is read later');
    }
    await delay(pollEveryMs, undefined, { signal }).catch(() => undefined);
  }
  onStandstill(undefined);
}

/** @returns sets the value */
export function createStandstillMetric(registry: Metrics): WatchOptions['onStandstill'] {
  const gauge = new Gauge({
    name: 'gateway_payout_file_standstill_age_seconds',
    help: 'How long no row of a shop’s confirmed files of payouts got a result, at the shop where that is longest; 0: no file waits; NaN except on the instance that leads',
    registers: [registry],
  });
  const set = (ms: number | undefined) => gauge.set(ms === undefined ? Number.NaN : ms / 1_000);
  set(undefined);
  return set;
}
