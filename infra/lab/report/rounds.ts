import { readProcessors, sharesOf } from '#infra/lab/load/sample/processors.ts';
import { rateOf, type Load } from '#infra/lab/load/loops.ts';
import { cpuMs } from '#infra/lab/load/sample/usage.ts';
import { spread, type Spread } from '#infra/verify/harness/statistics.ts';

/**
 * The result of one round of a case; `stolen`: the share of CPU time that other machines on the
 * host had.
 */
export type Sample = Load & { cpuMs: number; stolen: number };

export type Case = {
  name: string;
  /** The cases of the section to compare it with. */
  against?: readonly string[];
  run(): Promise<Sample>;
};

export type Row = {
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

/** With more stolen time, a round says more about other machines than about the subject. */
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
): Promise<Row[]> {
  const samples = new Map<string, Sample[]>(cases.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const first = Math.max(0, round) % cases.length;
    for (const each of [...cases.slice(first), ...cases.slice(0, first)]) {
      if (round < 0) await each.run();
      else samples.get(each.name)?.push(await undisturbed(each));
    }
  }
  const of = (name: string) => samples.get(name) ?? [];
  return cases.map(({ name, against = [] }) => ({
    ...rowOf(name, of(name)),
    ratios: against.map((to) => ({ to, ratio: ratioOf(of(name), of(to), rateOf) })),
  }));
}

/** The samples of a case in one row, without comparison. */
export function rowOf(name: string, samples: readonly Sample[]): Row {
  const figures = (figure: (sample: Sample) => number) => spread(samples.map(figure));
  return {
    name,
    perSecond: figures(rateOf),
    p50Ms: figures(({ p50Ms }) => p50Ms),
    p95Ms: figures(({ p95Ms }) => p95Ms),
    p99Ms: figures(({ p99Ms }) => p99Ms),
    cpuMicros: figures(cpuMicros),
    stolen: figures(({ stolen }) => stolen),
    ratios: [],
  };
}

/** A figure of one case divided by that of another, round by round. */
export const ratioOf = (
  own: readonly Sample[],
  others: readonly Sample[],
  figure: (sample: Sample) => number,
): Spread => spread(others.map((other, round) => figure(own[round] ?? other) / figure(other)));

/** Processor time an operation. */
export const cpuMicros = (sample: Sample): number =>
  (sample.cpuMs * 1000) / Math.max(1, sample.operations);

/** The round with the least stolen time. */
async function undisturbed({ run }: Case): Promise<Sample> {
  let best = await run();
  for (let tries = 1; best.stolen > stolenAtMost && tries < triesAtMost; tries += 1) {
    const again = await run();
    if (again.stolen < best.stolen) best = again;
  }
  return best;
}

/** Runs a load, and adds the CPU time of its processes and of other machines. */
export async function withCpu(pids: readonly number[], load: () => Promise<Load>): Promise<Sample> {
  const before = cpuMs(pids);
  const processors = readProcessors();
  const result = await load();
  const { steal } = sharesOf(processors, readProcessors());
  return { ...result, cpuMs: cpuMs(pids) - before, stolen: steal };
}
