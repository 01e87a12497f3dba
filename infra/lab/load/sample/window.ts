import { percentilesOf } from '#infra/verify/harness/statistics.ts';
import { creates, kinds, type Kind } from '../generator/kinds.ts';
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
      /** Payments and payouts together. */
      creates: sampleOf(created),
      kinds: Object.fromEntries(kinds.map((kind) => [kind, sampleOf(seen[kind])])) as Record<
        Kind,
        KindSample
      >,
      webhooks: { arrived: webhooks.length, ...percentilesOf(webhooks) },
      codes,
      /** The 99th percentile of how late requests were sent. */
      sentLateP99Ms: percentilesOf(late).p99Ms,
    }),
  };
}

const sampleOf = ({ latencies, ...counts }: KindTaken): KindSample => ({
  ...counts,
  ...percentilesOf(latencies),
});
