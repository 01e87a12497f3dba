import { Counter, Gauge } from 'prom-client';
import { watchClock } from '#shared/platform/clock/watch-clock.ts';
import { loadConfig, loadOptional } from '#shared/platform/config/load.ts';
import { createApp, registerMetrics } from '#shared/platform/http/app.ts';
import { createMetrics, type Metrics } from '#shared/platform/http/metrics.ts';
import { listen } from '#shared/platform/http/serve.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { describeAge } from './status.ts';
import type { BackupTotals } from './writer.ts';

/** What a backup has reached. */
export type BackupProgress = {
  totals: BackupTotals;
  /** Epoch ms at which the copy last had all that was acknowledged. */
  completeMs: number | undefined;
  /**
   * Until it is complete: when it last was, by DATA_DIR; or else when its newest object was
   * written, or when the backup began.
   */
  sinceMs: number;
  /** Attempts that failed. */
  failures: number;
};

/** An older copy is not ready, and the alert `GatewayBackupBehind` fires. */
const behindMs = 60_000;

/** How old the copy is. */
export const backupAgeMs = ({ completeMs, sinceMs }: BackupProgress, nowMs = Date.now()): number =>
  Math.max(0, nowMs - (completeMs ?? sinceMs));

/** Why the copy is not ready; undefined if it is. */
export function whyBehind(progress: BackupProgress, nowMs = Date.now()): string | undefined {
  const ageMs = backupAgeMs(progress, nowMs);
  if (ageMs > behindMs) return `the copy is ${describeAge(ageMs)} old`;
  return progress.completeMs === undefined ? 'the copy is not complete yet' : undefined;
}

function registerBackupMetrics(registry: Metrics, progress: BackupProgress): void {
  const gauge = (name: string, help: string, read: () => number) => {
    const registers = [registry];
    const each: Gauge = new Gauge({ name, help, registers, collect: () => each.set(read()) });
  };
  gauge(
    'gateway_backup_age_seconds',
    'Time since the copy last had all that was acknowledged',
    () => backupAgeMs(progress) / 1_000,
  );
  gauge(
    'gateway_backup_position',
    'Position of the newest event of the copy',
    () => progress.totals.position,
  );
  gauge('gateway_backup_events', 'Events of the copy', () => progress.totals.events);
  gauge('gateway_backup_bytes', 'Bytes of the events of the copy', () => progress.totals.bytes);
  const failures: Counter = new Counter({
    name: 'gateway_backup_failures_total',
    help: 'Attempts to follow the log that failed',
    registers: [registry],
    collect: () => {
      failures.reset();
      failures.inc(progress.failures);
    },
  });
}

/** Serves probes and metrics on BACKUP_PORT, if it is set. @returns how to stop that */
export async function serveBackupMetrics(progress: BackupProgress): Promise<() => Promise<void>> {
  const port = loadOptional('BACKUP_PORT');
  if (port === undefined) return () => Promise.resolve();
  const { LISTEN_HOST: host } = loadConfig(['LISTEN_HOST']);
  const logger = createLogger('backup', 'warn');
  const metrics = createMetrics('backup');
  registerBackupMetrics(metrics, progress);
  const app = createApp({ logger, metrics, notReady: () => whyBehind(progress) });
  registerMetrics(app, metrics);
  const server = await listen(app, { port, host });
  const clock = watchClock({ logger, metrics });
  return async () => {
    clock.stop();
    await server.close();
  };
}
