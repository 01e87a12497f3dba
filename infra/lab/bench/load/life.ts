import {
  meanCores,
  tryRate,
  watchAt,
  workOff,
  type Driver,
  type StepTiming,
  type LoadStep,
} from '#infra/lab/load/driver.ts';
import { startLoad } from '#infra/lab/load/start-load.ts';
import type { StartTarget, LoadTarget } from '#infra/lab/load/target.ts';
import { proportionalBytes } from '#infra/lab/load/sample/usage.ts';

export type LifePlan = StepTiming & {
  readonly rates: readonly number[];
  readonly seed: number;
  readonly idleSeconds: number;
  readonly warmUpSeconds: number;
};

/** The measurements of one system, from its start on. */
export type Life = Awaited<ReturnType<typeof liveThrough>>;
export type RateOfLife = Life['rates'][number];

/** The time for work after a start, such as writing compiled code. */
const settleS = 8;

/**
 * Starts a system, and measures it idle, then at each rate, after the backlog of the previous one
 * is done.
 */
export async function liveThrough(start: StartTarget, plan: LifePlan) {
  const print = () => undefined;
  const settings = { mix: 'withoutReceipts', seed: plan.seed, options: plan, print } as const;
  const { driver, target, stop } = await startLoad(unasked(start), settings);
  try {
    const idle = await measureIdle(driver, target, plan);
    const first = { phase: 'warm-up', rate: plan.rates[0] ?? 0 } as const;
    await watchAt(driver, first, plan.warmUpSeconds);
    const steps: LoadStep[] = [];
    const rates = [];
    for (const rate of plan.rates) {
      const step = await tryRate(driver, { rate, before: steps, again: false });
      steps.push(step);
      const endedAt = performance.now();
      const seen = rateOfLife(step, target);
      await workOff(driver);
      /** From the end of the load until none of its operations was open. */
      const workedOffS = (performance.now() - endedAt) / 1_000;
      rates.push({ ...seen, workedOffS });
    }
    return { ...idle, rates };
  } finally {
    await stop();
  }
}

/** Leaves out the figures whose reading costs the target work, which is no part of a life. */
export const unasked =
  (start: StartTarget): StartTarget =>
  async (sink) => {
    const { waiting: _, diskBytes: __, ...target } = await start(sink);
    return target;
  };

async function measureIdle({ sampler }: Driver, target: LoadTarget, { idleSeconds }: LifePlan) {
  sampler.enter('rest', 0);
  await sampler.watch(settleS);
  const { samples } = await sampler.watch(idleSeconds);
  return { idleCores: ownCores(meanCores(samples), target), idleMegabytes: ownMegabytes(target) };
}

/** The measurements at one rate. The sample's operations are payments and payouts that began. */
function rateOfLife(
  { figures, creates, webhooks, cores, machine, reasons }: LoadStep,
  target: LoadTarget,
) {
  const { created, seconds, due, answered } = figures;
  const { p50Ms, p95Ms, p99Ms } = creates;
  const cpuMs = ownCores(cores, target) * seconds * 1_000;
  return {
    sample: { operations: created, seconds, p50Ms, p95Ms, p99Ms, cpuMs, stolen: machine.steal },
    webhooks,
    megabytes: ownMegabytes(target),
    answeredShare: answered / Math.max(1, due),
    bends: reasons.length > 0,
    /** Operations whose terminal webhook arrived. */
    finishedPerSecond: webhooks.arrived / seconds,
  };
}

const ownNames = ({ processes, players }: LoadTarget) =>
  Object.keys(processes()).filter((name) => !players.includes(name));

const ownCores = (cores: Readonly<Record<string, number>>, target: LoadTarget): number =>
  ownNames(target).reduce((sum, name) => sum + (cores[name] ?? 0), 0);

/** Proportional set size of all but the players, which a supervisor has among its children. */
function ownMegabytes(target: LoadTarget): number {
  const named = target.processes();
  const players = target.players.flatMap((name) => named[name] ?? []);
  return (proportionalBytes(Object.values(named)) - proportionalBytes(players)) / 1024 / 1024;
}
