import { addSparse, createHistogram, percentileOf, type Histogram } from '../histogram.ts';
import { creates, kinds, type Kind } from '../generator/kinds.ts';
import type { GeneratorTaken, SinkTaken } from '../generator/messages.ts';
import type { KindSample, WebhookFigures } from './sample.ts';

type Seen = { due: number; answered: number; failed: number; readonly latencies: Histogram };

/** Of some stretch of time, what the generator and the sink saw in it. */
export type WindowFigures = {
  readonly all: KindSample;
  /** Payments and payouts together. */
  readonly creates: KindSample;
  readonly kinds: Readonly<Record<Kind, KindSample>>;
  readonly webhooks: WebhookFigures;
  readonly codes: Readonly<Record<string, number>>;
  /** How late requests were sent, the 99th percentile. */
  readonly sentLateP99Ms: number;
};

/** Adds up what the generator and the sink saw. */
export type Window = {
  readonly add: (load: GeneratorTaken, sink: SinkTaken) => void;
  readonly figures: () => WindowFigures;
};

export function createWindow(): Window {
  const empty = (): Seen => ({ due: 0, answered: 0, failed: 0, latencies: createHistogram() });
  const seen = Object.fromEntries(kinds.map((kind) => [kind, empty()])) as Record<Kind, Seen>;
  const [created, all] = [empty(), empty()];
  const [webhooks, late] = [createHistogram(), createHistogram()];
  const codes: Record<string, number> = {};
  return {
    add: (load, sink) => {
      for (const kind of kinds) {
        const taken = load.kinds[kind];
        for (const sum of [seen[kind], all, ...(creates.includes(kind) ? [created] : [])]) {
          sum.due += taken.due;
          sum.answered += taken.answered;
          sum.failed += taken.failed;
          addSparse(sum.latencies, taken.latencies);
        }
      }
      for (const [code, count] of Object.entries(load.codes))
        codes[code] = (codes[code] ?? 0) + count;
      addSparse(webhooks, sink.lateness);
      addSparse(late, load.lateness);
    },
    figures: () => ({
      all: sampleOf(all),
      creates: sampleOf(created),
      kinds: Object.fromEntries(kinds.map((kind) => [kind, sampleOf(seen[kind])])) as Record<
        Kind,
        KindSample
      >,
      webhooks: {
        arrived: webhooks.total,
        p50Ms: percentileOf(webhooks, 0.5),
        p95Ms: percentileOf(webhooks, 0.95),
        p99Ms: percentileOf(webhooks, 0.99),
      },
      codes,
      sentLateP99Ms: percentileOf(late, 0.99),
    }),
  };
}

const sampleOf = ({ due, answered, failed, latencies }: Seen): KindSample => ({
  due,
  answered,
  failed,
  p50Ms: percentileOf(latencies, 0.5),
  p95Ms: percentileOf(latencies, 0.95),
  p99Ms: percentileOf(latencies, 0.99),
});
