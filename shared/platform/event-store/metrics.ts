import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { AppendEffort } from './append.ts';
import type { AppendOutcome, AppendRequest, EventStore } from './types.ts';

type Append = (request: AppendRequest, effort: AppendEffort) => Promise<AppendOutcome>;

/** Names of kinds of streams in metrics, by the part of a stream's name before the first hyphen. */
type StreamKinds = Readonly<Record<string, string>>;

/** The kind of a stream. There is a fixed number of kinds, whatever the streams. */
export function streamKind(stream: string, kinds: StreamKinds): string {
  const end = stream.indexOf('-');
  const prefix = end === -1 ? stream : stream.slice(0, end);
  return Object.hasOwn(kinds, prefix) ? (kinds[prefix] ?? 'other') : 'other';
}

/** Counts appends by their outcome; some 3 µs each. */
export function observeAppends(
  append: Append,
  registry: Metrics,
  kinds: StreamKinds,
): EventStore['append'] {
  const registers = [registry];
  const duration = new Histogram({
    name: 'gateway_event_store_append_duration_seconds',
    help: 'Duration of appends until their outcome is known, by kind of stream; conflict: wrong expected revision, refused: rejected by the store',
    labelNames: ['kind', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const retries = new Counter({
    name: 'gateway_event_store_append_retries_total',
    help: 'Appends that were retried, because their outcome was unknown',
    labelNames: ['kind'],
    registers,
  });
  const doubts = new Counter({
    name: 'gateway_event_store_appends_in_doubt_total',
    help: 'Appends without a response, by the outcome read from the log; unknown: not resolved by the deadline',
    labelNames: ['resolution'],
    registers,
  });
  for (const resolution of ['appended', 'conflict', 'unknown']) doubts.inc({ resolution }, 0);
  for (const kind of Object.values(kinds)) retries.inc({ kind }, 0);
  let inFlight = 0;
  const gauge: Gauge = new Gauge({
    name: 'gateway_event_store_appends_in_flight',
    help: 'Appends whose outcome is not known yet',
    registers,
    collect: () => gauge.set(inFlight),
  });

  return async (request) => {
    const effort: AppendEffort = { sends: 0, inDoubt: false };
    const startedAt = performance.now();
    const kind = streamKind(request.stream, kinds);
    let outcome: AppendOutcome['outcome'] | 'refused' = 'refused';
    inFlight += 1;
    try {
      const appended = await append(request, effort);
      ({ outcome } = appended);
      return appended;
    } finally {
      inFlight -= 1;
      duration.observe({ kind, outcome }, (performance.now() - startedAt) / 1000);
      if (effort.sends > 1) retries.inc({ kind }, effort.sends - 1);
      if (effort.inDoubt && outcome !== 'refused') doubts.inc({ resolution: outcome });
    }
  };
}
