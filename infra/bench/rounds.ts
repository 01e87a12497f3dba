import type { Load } from './load/loops.ts';
import { cpuMs } from './processes/usage.ts';
import { spread, type Spread } from './report/statistics.ts';

/** What one round of a case gave. */
export type Sample = Load & { cpuMs: number };

export type Case = {
  name: string;
  /** The cases of the same section that it is held against. */
  against?: readonly string[];
  run(): Promise<Sample>;
};

export type Row = {
  name: string;
  perSecond: Spread;
  p50Ms: Spread;
  p95Ms: Spread;
  p99Ms: Spread;
  /** Processor time of all processes behind it but the load generator, in microseconds an operation. */
  cpuMicros: Spread;
  /** Rates of the same round, divided by each other. */
  ratios: { to: string; ratio: Spread }[];
};

/** `warmUpRounds`: before them, and forgotten; two, unless told otherwise. */
export type Rounds = { rounds: number; warmUpRounds?: number };

/**
 * Runs the cases in turn, round after round, each round beginning with another: what slows the machine for a while
 * slows all of them.
 */
export async function inRounds(cases: readonly Case[], { rounds, warmUpRounds = 2 }: Rounds): Promise<Row[]> {
  const samples = new Map<string, Sample[]>(cases.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const first = Math.max(0, round) % cases.length;
    for (const each of [...cases.slice(first), ...cases.slice(0, first)]) {
      const sample = await each.run();
      if (round >= 0) samples.get(each.name)?.push(sample);
    }
  }
  const of = (name: string) => samples.get(name) ?? [];
  return cases.map(({ name, against = [] }) => {
    const own = of(name);
    const figures = (figure: (sample: Sample) => number) => spread(own.map(figure));
    return {
      name,
      perSecond: figures(rate),
      p50Ms: figures(({ p50Ms }) => p50Ms),
      p95Ms: figures(({ p95Ms }) => p95Ms),
      p99Ms: figures(({ p99Ms }) => p99Ms),
      cpuMicros: figures((sample) => (sample.cpuMs * 1000) / Math.max(1, sample.operations)),
      ratios: against.map((to) => ({
        to,
        ratio: spread(of(to).map((other, index) => rate(own[index] ?? other) / rate(other))),
      })),
    };
  });
}

const rate = ({ operations, seconds }: Load) => operations / seconds;

/** Runs a load and adds what the processes behind it used. */
export async function withCpu(pids: readonly number[], load: () => Promise<Load>): Promise<Sample> {
  const before = cpuMs(pids);
  const result = await load();
  return { ...result, cpuMs: cpuMs(pids) - before };
}
