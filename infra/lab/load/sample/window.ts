import { percentilesOf } from '#infra/verify/harness/statistics.ts';
import { creates, kinds, type Kind } from '../generator/kinds.ts';
import type { GeneratorTaken, SinkTaken } from '../generator/messages.ts';
import type { KindSample, WebhookFigures } from './sample.ts';

type Seen = { due: number; answered: number; failed: number; readonly latencies: number[] };

/** The measurements of the generator and the sink in a period. */
export type WindowFigures = {
  readonly all: KindSample;
  /** Payments and payouts together. */
  readonly creates: KindSample;
  readonly kinds: Readonly<Record<Kind, KindSample>>;
  readonly webhooks: WebhookFigures;
  readonly codes: Readonly<Record<string, number>>;
  /** The 99th percentile of how late requests were sent. */
  readonly sentLateP99Ms: number;
};

/** Adds measurements of the generator and the sink. */
export type Window = {
  readonly add: (load: GeneratorTaken, sink: SinkTaken) => void;
  readonly figures: () => WindowFigures;
};

export function createWindow(): Window {
  const empty = (): Seen => ({ due: 0, answered: 0, failed: 0, latencies: [] });
  const seen = Object.fromEntries(kinds.map((kind) => [kind, empty()])) as Record<Kind, Seen>;
  const [created, all] = [empty(), empty()];
  const webhooks: number[] = [];
  const late: number[] = [];
  const codes: Record<string, number> = {};
  return {
    add: (load, sink) => {
      for (const kind of kinds) {
        const taken = load.kinds[kind];
        for (const sum of [seen[kind], all, ...(creates.includes(kind) ? [created] : [])]) {
          sum.due += taken.due;
          sum.answered += taken.answered;
          sum.failed += taken.failed;
          for (const ms of taken.latencies) sum.latencies.push(ms);
        }
      }
      for (const [code, count] of Object.entries(load.codes))
        codes[code] = (codes[code] ?? 0) + count;
      for (const ms of sink.lateness) webhooks.push(ms);
      for (const ms of load.lateness) late.push(ms);
    },
    figures: () => ({
      all: sampleOf(all),
      creates: sampleOf(created),
      kinds: Object.fromEntries(kinds.map((kind) => [kind, sampleOf(seen[kind])])) as Record<
        Kind,
        KindSample
      >,
      webhooks: { arrived: webhooks.length, ...percentilesOf(webhooks) },
      codes,
      sentLateP99Ms: percentilesOf(late).p99Ms,
    }),
  };
}

const sampleOf = ({ latencies, ...counts }: Seen): KindSample => ({
  ...counts,
  ...percentilesOf(latencies),
});
