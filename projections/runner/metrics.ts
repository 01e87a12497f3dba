import { Counter, Gauge } from 'prom-client';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { measureLag, type ProjectionLag } from './lag.ts';
import { shownStates, type WorkerStatus } from './worker-status.ts';

type Samples = readonly (readonly [labels: Record<string, string>, value: number])[];

/** Every read model's position, lag, state and work done, measured at each scrape. */
export function registerProjectionMetrics(
  registry: Metrics,
  store: EventStore,
  workers: () => readonly WorkerStatus[],
): void {
  const gauge = (name: string, help: string, read: () => Samples | Promise<Samples>) =>
    new Gauge({
      name: `gateway_projection_${name}`,
      help,
      labelNames: ['projection', 'state'],
      registers: [registry],
      async collect() {
        const samples = await read();
        this.reset();
        for (const [labels, value] of samples) this.set(labels, value);
      },
    });
  gauge('position', 'Position in the log up to which all events are in the tables', () =>
    workers().flatMap(({ name, position }) =>
      position === undefined ? [] : [[{ projection: name }, Number(position)]],
    ),
  );
  // Both lags come from one measurement: the metrics of a scrape are collected at the same time.
  let measuring: Promise<[string, ProjectionLag][]> | undefined;
  const lags = (value: (lag: ProjectionLag) => number) => async () => {
    measuring ??= measureLags(store, workers()).finally(() => (measuring = undefined));
    return (await measuring).map(([projection, lag]) => [{ projection }, value(lag)] as const);
  };
  gauge(
    'lag_events',
    'Events in the log that are not in the tables; exact up to 1,000, estimated above',
    lags(({ lag_events }) => lag_events),
  );
  gauge(
    'lag_seconds',
    'How long the oldest of them has been in the log',
    lags(({ lag_ms }) => lag_ms / 1000),
  );
  gauge('state', '1 for the current state of the worker', () =>
    workers().flatMap(({ name: projection, shownState: current }) =>
      shownStates.map((state) => [{ projection, state }, state === current ? 1 : 0] as const),
    ),
  );
  const counter = (name: string, help: string, value: (status: WorkerStatus) => number) =>
    new Counter({
      name: `gateway_projection_${name}_total`,
      help,
      labelNames: ['projection'],
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

async function measureLags(
  store: EventStore,
  workers: readonly WorkerStatus[],
): Promise<[string, ProjectionLag][]> {
  const lags = await Promise.all(
    workers.map(async ({ name, position, streamPrefixes }) => {
      const lag = await measureLag(store, { position, streamPrefixes }).catch(() => undefined);
      // An unknown lag is not 0: the series ends until the store answers again.
      return lag ? [[name, lag] satisfies [string, ProjectionLag]] : [];
    }),
  );
  return lags.flat();
}
