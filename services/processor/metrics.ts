import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '#shared/http/metrics.ts';

/** What an operator watches of the processor: its backlog, and what it does. */
export function createProcessorMetrics(registry: Metrics, overdue: () => Promise<number>) {
  registry.registerMetric(
    new Gauge({
      name: 'gateway_processor_overdue_operations',
      help: 'Operations whose look is due',
      registers: [],
      async collect() {
        this.set(await overdue().catch(() => Number.NaN));
      },
    }),
  );
  const steps = new Counter({
    name: 'gateway_processor_steps_total',
    help: 'Steps taken, by kind and outcome',
    labelNames: ['step', 'outcome'],
    registers: [registry],
  });
  return { onStep: (step: string, outcome: string) => steps.inc({ step, outcome }) };
}
