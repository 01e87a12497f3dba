import { Counter, Gauge } from 'prom-client';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { measureLag, type Lag } from './lag.ts';
import type { WorkerState, WorkerStatus } from './worker-status.ts';

const states: readonly WorkerState[] = [
  'starting',
  'standby',
  'catching_up',
  'live',
  'rebuilding',
  'stopped',
];

type Workers = () => readonly WorkerStatus[];

const labelNames = ['projection'] as const;

/** Every read model's position, lag, state and work done, measured at each scrape. */
export function registerProjectionMetrics(
  registry: Metrics,
  store: EventStore,
  workers: Workers,
): void {
  registerPosition(registry, workers);
  registerLag(registry, store, workers);
  registerState(registry, workers);
  const counter = (name: string, help: string, value: (status: WorkerStatus) => number) =>
    new Counter({
      name: `gateway_projection_${name}_total`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const status of workers()) this.inc({ projection: status.name }, value(status));
      },
    });
  counter('events', 'Events applied', ({ events }) => events);
  counter('batches', 'Transactions that moved the checkpoint', ({ batches }) => batches);
  counter(
    'conflicts',
    'Transactions that lost against another worker',
    ({ conflicts }) => conflicts,
  );
}

function registerPosition(registry: Metrics, workers: Workers): void {
  const position = new Gauge({
    name: 'gateway_projection_position',
    help: 'Position in the log up to which all events are in the tables',
    labelNames,
    registers: [],
    collect() {
      this.reset();
      for (const worker of workers()) {
        if (worker.position !== undefined)
          this.set({ projection: worker.name }, Number(worker.position));
      }
    },
  });
  registry.registerMetric(position);
}

function registerLag(registry: Metrics, store: EventStore, workers: Workers): void {
  // Both lags come from one measurement: the metrics of a scrape are collected at the same time.
  let measuring: Promise<Map<string, Lag>> | undefined;
  const gauge = (name: string, help: string, value: (lag: Lag) => number) =>
    new Gauge({
      name: `gateway_projection_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        measuring ??= measureLags(store, workers()).finally(() => (measuring = undefined));
        const lags = await measuring;
        this.reset();
        for (const [projection, lag] of lags) this.set({ projection }, value(lag));
      },
    });
  gauge(
    'lag_events',
    'Events in the log that are not in the tables; exact up to 1,000, estimated above',
    ({ lag_events }) => lag_events,
  );
  gauge(
    'lag_seconds',
    'How long the oldest of them has been in the log',
    ({ lag_ms }) => lag_ms / 1000,
  );
}

async function measureLags(
  store: EventStore,
  workers: readonly WorkerStatus[],
): Promise<Map<string, Lag>> {
  const lags = new Map<string, Lag>();
  await Promise.all(
    workers.map(async ({ name, position, streamPrefixes }) => {
      const lag = await measureLag(store, { position, streamPrefixes }).catch(() => undefined);
      // An unknown lag is not 0: the series ends until the store answers again.
      if (lag) lags.set(name, lag);
    }),
  );
  return lags;
}

function registerState(registry: Metrics, workers: Workers): void {
  const state = new Gauge({
    name: 'gateway_projection_state',
    help: '1 for the current state of the worker',
    labelNames: ['projection', 'state'],
    registers: [],
    collect() {
      this.reset();
      for (const status of workers()) {
        for (const each of states) {
          this.set({ projection: status.name, state: each }, status.state === each ? 1 : 0);
        }
      }
    },
  });
  registry.registerMetric(state);
}
