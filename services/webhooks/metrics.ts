import type { Kysely } from 'kysely';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { registerMessageFigures } from './message-figures.ts';

/** The service's counters, and the backlog in its table. */
export function createWebhookMetrics(
  registry: Metrics,
  db: Kysely<WebhooksDatabase>,
  ready: () => ReadonlyMap<string, boolean>,
) {
  registerMessageFigures(registry, db);
  registerReadiness(registry, ready);
  const registers = [registry];
  return {
    ...relayMetrics(registers),
    ...ingestMetrics(registers),
    ...reconciliationMetrics(registers),
    ...attemptMetrics(registers),
    ...contentMetrics(registers),
  };
}

function relayMetrics(registers: Metrics[]) {
  const published = new Counter({
    name: 'gateway_webhook_events_published_total',
    help: 'Events that may need a webhook, published from the log to the stream',
    registers,
  });
  const lag = new Gauge({
    name: 'gateway_webhook_relay_lag_seconds',
    help: 'Age of the newest event of a batch when the batch was published',
    registers,
  });
  const backlog = new Gauge({
    name: 'gateway_webhook_stream_backlog',
    help: 'Events in the stream that are not yet recorded as webhooks',
    registers,
  });
  return {
    onBatch: (batch: { published: number; lagMs: number }) => {
      published.inc(batch.published);
      lag.set(batch.lagMs / 1000);
    },
    onBacklog: (pointers: number) => backlog.set(pointers),
  };
}

function ingestMetrics(registers: Metrics[]) {
  const recorded = new Counter({
    name: 'gateway_webhook_messages_recorded_total',
    help: 'Webhooks recorded',
    registers,
  });
  const unbuildable = new Counter({
    name: 'gateway_webhook_unbuildable_total',
    help: 'Failures to build a webhook from its operation',
    registers,
  });
  return {
    onRecorded: (count: number) => recorded.inc(count),
    onUnbuildable: () => unbuildable.inc(),
  };
}

function reconciliationMetrics(registers: Metrics[]) {
  const reconciled = new Counter({
    name: 'gateway_webhook_reconciled_events_total',
    help: 'Events whose webhooks were checked by the reconciliation',
    registers,
  });
  const repaired = new Counter({
    name: 'gateway_webhook_repaired_total',
    help: 'Lost webhooks that the reconciliation recorded: NATS has lost data, or it is a defect',
    registers,
  });
  let dueSince = Number.NaN;
  const lag: Gauge = new Gauge({
    name: 'gateway_webhook_reconciliation_lag_seconds',
    help: 'For how long the next event has been old enough to be checked; NaN before the first check',
    registers,
    // Measured at the scrape: a reconciliation that stands still must not keep its last lag.
    collect: () => lag.set(Math.max(0, Date.now() - dueSince) / 1000),
  });
  return {
    onReconciled: (batch: { events: number; repaired: number; dueSince: number }) => {
      reconciled.inc(batch.events);
      repaired.inc(batch.repaired);
      dueSince = batch.dueSince;
    },
  };
}

function contentMetrics(registers: Metrics[]) {
  const forged = new Counter({
    name: 'gateway_webhook_forged_total',
    help: 'Checks of recorded webhooks that do not follow from the log, and were not sent',
    registers,
  });
  return { onForged: () => forged.inc() };
}

function attemptMetrics(registers: Metrics[]) {
  const attempts = new Counter({
    name: 'gateway_webhook_attempts_total',
    help: 'Delivery attempts, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['delivered', 'failed']) attempts.inc({ outcome }, 0);
  const duration = new Histogram({
    name: 'gateway_webhook_attempt_duration_seconds',
    help: 'Duration of an attempt',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers,
  });
  const latency = new Histogram({
    name: 'gateway_webhook_delivery_latency_seconds',
    help: "Time from an event's append to the delivery of its webhook",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600, 3_600, 86_400],
    registers,
  });
  return {
    onAttempt: (attempt: {
      outcome: string;
      durationMs: number;
      latencyMs: number | undefined;
    }) => {
      attempts.inc({ outcome: attempt.outcome });
      duration.observe(attempt.durationMs / 1000);
      if (attempt.latencyMs !== undefined) latency.observe(attempt.latencyMs / 1000);
    },
  };
}

/** A part that is down has no other metrics: only this shows it. */
function registerReadiness(registry: Metrics, ready: () => ReadonlyMap<string, boolean>): void {
  const gauge: Gauge = new Gauge({
    name: 'gateway_webhook_part_ready',
    help: '1 while a part of the service reaches its stores, otherwise 0',
    labelNames: ['part'],
    registers: [registry],
    collect: () => {
      for (const [part, works] of ready()) gauge.set({ part }, works ? 1 : 0);
    },
  });
}
