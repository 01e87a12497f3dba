import type { StartTarget } from '#infra/lab/load/target.ts';
import { startGateway } from '#infra/lab/targets/gateway.ts';
import type { BenchContext } from '../context.ts';
import { startCrud } from '#infra/lab/counterpart/start.ts';
import { liveThrough, type Life, type LifePlan, type RateOfLife } from '../load/life.ts';
import { createFigure, type Figure, type BenchSection } from '#infra/lab/report/section.ts';
import { cpuMicros, computeRatio, toReportRow } from '#infra/lab/report/rounds.ts';

const counterpart = 'CRUD';
const quickly = { idleSeconds: 3, warmUpSeconds: 5, stepSeconds: 9, settleSeconds: 3 };
const usually = { idleSeconds: 5, warmUpSeconds: 20, stepSeconds: 36, settleSeconds: 6 };

/**
 * The whole life of operations (create, provider, callback, ledger, read models, webhook) under an
 * open load, compared with a counterpart that does the same on PostgreSQL. Each is started anew in
 * each round, while the other does not run.
 */
export async function measureLife({
  quick,
  rates,
  gatewayEnv,
  onMachine,
}: Pick<BenchContext, 'quick' | 'rates' | 'gatewayEnv' | 'onMachine'>): Promise<BenchSection[]> {
  const systems: readonly [name: string, start: StartTarget][] = [
    ['gateway', onMachine(startGateway(gatewayEnv))],
    [counterpart, onMachine(startCrud)],
  ];
  const lives = new Map<string, Life[]>(systems.map(([name]) => [name, []]));
  for (let round = 0; round < (quick ? 1 : 2); round += 1) {
    const plan: LifePlan = { ...(quick ? quickly : usually), rates, seed: round + 1 };
    for (const [name, start] of round % 2 === 0 ? systems : systems.toReversed())
      lives.get(name)?.push(await liveThrough(start, plan));
  }
  return [idleSection(lives), ...rates.map((rate, step) => rateSection(lives, { rate, step }))];
}

/** The same at 1, 2, 4 and 8 times a rate that the gateway holds. */
export const measureOverload = ({
  overloadFrom,
  ...context
}: BenchContext): Promise<BenchSection[]> =>
  measureLife({ ...context, rates: [1, 2, 4, 8].map((times) => times * overloadFrom) });

type Lives = ReadonlyMap<string, readonly Life[]>;

/** Of each system a figure, over the rounds. */
const ofEach = (
  lives: Lives,
  what: string,
  unit: string,
  figure: (life: Life) => number,
): Figure[] =>
  [...lives].map(([name, all]) => createFigure(`${what}, ${name}`, unit, ...all.map(figure)));

function idleSection(lives: Lives): BenchSection {
  return {
    name: 'Life: before the load',
    about:
      'Started, with eight shops, and nothing to do. Without the provider and the receiver of the demo.',
    rows: [],
    figures: [
      ...ofEach(lives, 'idle', 'milli-cores', ({ idleCores }) => idleCores * 1_000),
      ...ofEach(lives, 'memory', 'MB', ({ idleMegabytes }) => idleMegabytes),
    ],
  };
}

function rateSection(lives: Lives, { rate, step }: { rate: number; step: number }): BenchSection {
  const samples = (name: string) =>
    (lives.get(name) ?? []).flatMap(({ rates }) => rates[step]?.sample ?? []);
  const figures = (what: string, unit: string, figure: (seen: RateOfLife) => number) =>
    ofEach(lives, what, unit, ({ rates }) => {
      const seen = rates[step];
      return seen === undefined ? Number.NaN : figure(seen);
    });
  const rows = [...lives.keys()].map((name) => ({
    ...toReportRow(name, samples(name)),
    ratios:
      name === counterpart
        ? []
        : [
            {
              to: counterpart,
              ratio: computeRatio(samples(name), samples(counterpart), cpuMicros),
            },
          ],
  }));
  return {
    name: `Life: ${rate} requests a second`,
    about:
      'Operations begun a second; creates, from the moment at which each was due; CPU of all that an operation goes through. The ratio is of that CPU: less is better.',
    rows,
    figures: [
      ...figures('event to webhook, p50', 'ms', ({ webhooks }) => webhooks.p50Ms),
      ...figures('event to webhook, p95', 'ms', ({ webhooks }) => webhooks.p95Ms),
      ...figures('memory', 'MB', ({ megabytes }) => megabytes),
      ...figures('requests answered', '%', ({ answeredShare }) => answeredShare * 100),
      ...figures('finished', 'operations/s', ({ finishedPerSecond }) => finishedPerSecond),
      ...figures('worked off after the load in', 's', ({ workedOffS }) => workedOffS),
      ...figures('bends (1: yes)', '', ({ bends }) => (bends ? 1 : 0)),
    ],
  };
}
