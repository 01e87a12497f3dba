import { computePercentiles } from '#infra/verify/harness/figures/statistics.ts';
import { creates, loadKinds, type LoadKind } from '../generator/kinds.ts';
import {
  emptyTaken,
  emptyByKind,
  type GeneratorTaken,
  type KindTaken,
  type SinkTaken,
} from '../generator/messages.ts';
import type { KindSample } from './sample.ts';

export type Window = ReturnType<typeof createWindow>;
/** The measurements of the generator and the sink in a period. */
export type WindowFigures = ReturnType<Window['figures']>;

/** Adds up measurements of the generator and the sink. */
export function createWindow() {
  const seen = emptyByKind();
  const [created, all] = [emptyTaken(), emptyTaken()];
  const webhooks: number[] = [];
  const late: number[] = [];
  const codes: Record<string, number> = {};
  return {
    add: (load: GeneratorTaken, sink: SinkTaken) => {
      for (const kind of loadKinds) {
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
      all: toKindSample(all),
      /** Payments and payouts together. */
      creates: toKindSample(created),
      kinds: Object.fromEntries(
        loadKinds.map((kind) => [kind, toKindSample(seen[kind])]),
      ) as Record<LoadKind, KindSample>,
      webhooks: { arrived: webhooks.length, ...computePercentiles(webhooks) },
      codes,
      /** The 99th percentile of how late requests were sent. */
      sentLateP99Ms: computePercentiles(late).p99Ms,
    }),
  };
}

const toKindSample = ({ latencies, ...counts }: KindTaken): KindSample => ({
  ...counts,
  ...computePercentiles(latencies),
});
