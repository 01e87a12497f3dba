import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';

/** The backlog: how many streams are overdue, and for how long the oldest. */
type Overdue = { streams: number; oldestAgeMs: number };

/** The processor's metrics: its backlog and its steps. */
export function createProcessorMetrics(
  registry: Metrics,
  {
    overdue,
    waiting,
    providers,
  }: {
    overdue(): Overdue | undefined;
    waiting(): Map<string, number> | undefined;
    /** The configured providers: no operation waits for these. */
    providers: Iterable<string>;
  },
) {
  const gauge = (name: string, help: string, value: (overdue: Overdue) => number) =>
    registry.registerMetric(
      new Gauge({
        name: `gateway_processor_${name}`,
        help,
        registers: [],
        collect() {
          const now = overdue();
          this.set(now ? value(now) : Number.NaN);
        },
      }),
    );
  gauge(
    'overdue_operations',
    'Operations with overdue work; NaN except on the instance that leads',
    ({ streams }) => streams,
  );
  gauge(
    'oldest_overdue_age_seconds',
    'How long the oldest overdue work has been due; 0: none',
    ({ oldestAgeMs }) => oldestAgeMs / 1000,
  );
  registry.registerMetric(
    new Gauge({
      name: 'gateway_processor_waiting_for_provider',
      help: 'Operations that wait because their provider is not configured; only from the leader',
      labelNames: ['provider'],
      registers: [],
      collect() {
        this.reset();
        const now = waiting();
        if (!now) return;
        for (const provider of providers) this.set({ provider }, 0);
        for (const [provider, count] of now) this.set({ provider }, count);
      },
    }),
  );
  const steps = new Counter({
    name: 'gateway_processor_steps_total',
    help: 'Steps, by kind and outcome; pending: the provider has not decided; busy: deferred, too many calls of the provider were in progress; absent: the provider is not configured',
    labelNames: ['step', 'outcome'],
    registers: [registry],
  });
  const unsaved = new Counter({
    name: 'gateway_processor_save_failures_total',
    help: 'Failures to save due work for the next leader; saving is retried every 5 s',
    registers: [registry],
  });
  return {
    onSaveFailed: () => unsaved.inc(),
    onStep: (step: string, outcome: string) => steps.inc({ step, outcome }),
  };
}

const reportOutcomes = [
  'taken',
  'taken_unsealed',
  'too_early',
  'undecided',
  'account_unreadable',
  'account_unavailable',
  'unknown_operation',
  'signature',
  'malformed',
  'amount_invalid',
  'report_unnumbered',
] as const;

/** Counts providers' reports by outcome; `provider` is always one with a connector. */
export function createReportMetrics(registry: Metrics, providers: Iterable<string>) {
  const reports = new Counter({
    name: 'gateway_provider_reports_total',
    help: 'Callbacks of providers, by outcome',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  // A series that begins at 1 has no increase, so the first refused callback would be no alert.
  for (const provider of providers)
    for (const outcome of reportOutcomes) reports.inc({ provider, outcome }, 0);
  return (provider: string, outcome: string) => reports.inc({ provider, outcome });
}
