import { readProcessors, processorShares } from '#infra/lab/load/sample/processors.ts';
import { throughput, type LoopMeasurement } from '#infra/lab/load/loops.ts';
import { cpuMs } from '#infra/lab/load/sample/usage.ts';
import { spread, type Spread } from '#infra/verify/harness/figures/statistics.ts';

/**
 * The result of one round of a case; `stolen`: the share of CPU time that other machines on the
 * host had.
 */
export type RoundSample = LoopMeasurement & { cpuMs: number; stolen: number };

export type Case = {
  name: string;
  /** The cases of the section to compare it with. */
  against?: readonly string[];
  run(): Promise<RoundSample>;
};

export type ReportRow = {
  name: string;
  perSecond: Spread;
  p50Ms: Spread;
  p95Ms: Spread;
  p99Ms: Spread;
  /** CPU time of all its processes except the load generator, in microseconds an operation. */
  cpuMicros: Spread;
  /** The share of CPU time that other machines had, in the counted rounds. */
  stolen: Spread;
  /** Ratios of rates in the same round, or other ratios of the section. */
  ratios: { to: string; ratio: Spread }[];
};

/** `warmUpRounds`: before the measured ones; two by default. */
type Rounds = { rounds: number; warmUpRounds?: number };

/** With more stolen time, a round shows more about other machines than about the subject. */
const stolenAtMost = 0.03;
const triesAtMost = 6;

/**
 * Runs the cases in turn, round after round, each round starting with another, so that a slow
 * period affects all of them. Rounds disturbed by other machines are repeated, and count if the
 * disturbance lasts.
 */
export async function inRounds(
  cases: readonly Case[],
  { rounds, warmUpRounds = 2 }: Rounds,
): Promise<ReportRow[]> {
  const samples = new Map<string, RoundSample[]>(cases.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const first = Math.max(0, round) % cases.length;
    for (const each of [...cases.slice(first), ...cases.slice(0, first)]) {
      if (round < 0) await each.run();
      else samples.get(each.name)?.push(await undisturbed(each));
    }
  }
  const of = (name: string) => samples.get(name) ?? [];
  return cases.map(({ name, against = [] }) => ({
    ...toReportRow(name, of(name)),
    ratios: against.map((to) => ({ to, ratio: computeRatio(of(name), of(to), throughput) })),
  }));
}

/** The samples of a case in one row, without comparison. */
export function toReportRow(name: string, samples: readonly RoundSample[]): ReportRow {
  const figures = (figure: (sample: RoundSample) => number) => spread(samples.map(figure));
  return {
    name,
    perSecond: figures(throughput),
    p50Ms: figures(({ p50Ms }) => p50Ms),
    p95Ms: figures(({ p95Ms }) => p95Ms),
    p99Ms: figures(({ p99Ms }) => p99Ms),
    cpuMicros: figures(cpuMicros),
    stolen: figures(({ stolen }) => stolen),
    ratios: [],
  };
}

/** A figure of one case divided by that of another, round by round. */
export const computeRatio = (
  own: readonly RoundSample[],
  others: readonly RoundSample[],
  figure: (sample: RoundSample) => number,
): Spread => spread(others.map((other, round) => figure(own[round] ?? other) / figure(other)));

/** Processor time an operation. */
export const cpuMicros = (sample: RoundSample): number =>
  (sample.cpuMs * 1000) / Math.max(1, sample.operations);

/** The round with the least stolen time. */
async function undisturbed({ run }: Case): Promise<RoundSample> {
  let best = await run();
  for (let tries = 1; best.stolen > stolenAtMost && tries < triesAtMost; tries += 1) {
    const again = await run();
    if (again.stolen < best.stolen) best = again;
  }
  return best;
}

/** Runs a load, and adds the CPU time of its processes and of other machines. */
export async function withCpu(
  pids: readonly number[],
  load: () => Promise<LoopMeasurement>,
): Promise<RoundSample> {
  const before = cpuMs(pids);
  const processors = readProcessors();
  const result = await load();
  const { steal } = processorShares(processors, readProcessors());
  return { ...result, cpuMs: cpuMs(pids) - before, stolen: steal };
}
