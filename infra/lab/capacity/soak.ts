import { isFlat, computeTrend, type Point, type Slack } from '#infra/lab/load/judge/trend.ts';
import type { LoadSample } from '#infra/lab/load/sample/sample.ts';
import { createWindow } from '#infra/lab/load/sample/window.ts';
import { figure, ms } from '#infra/lab/report/figures.ts';
import { meanCores, meanMachine, watchAt, type Driver } from '#infra/lab/load/driver.ts';
import type { CapacityOptions } from './options.ts';

export type JudgedTrend = ReturnType<typeof judge>;
export type Soak = Awaited<ReturnType<typeof soakAt>>;

/** The memory that a process may gain from the first third of the soak to the last. */
export const memorySlack: Slack = { share: 0.1, amount: 8 };
const warmUpShare = 1 / 5;
const warmUpAtMostS = 300;
const tellEveryS = { long: 60, short: 10 };

/** A steady rate for a long time, with the trends of memory and lags. */
export async function soakAt(rate: number, driver: Driver<CapacityOptions>) {
  const { options, sampler, print } = driver;
  const seconds = Math.round(options.soakMinutes * 60);
  /** Does not count: caches fill in it. */
  const warmUpS = Math.min(warmUpAtMostS, Math.round(seconds * warmUpShare));
  const first = sampler.samples.length;
  await watchAt(driver, { phase: 'soak', rate }, warmUpS);
  const window = createWindow();
  const every = seconds > 300 ? tellEveryS.long : tellEveryS.short;
  for (let watched = warmUpS; watched < seconds; watched += every) {
    const { samples } = await sampler.watch(Math.min(every, seconds - watched), window);
    const last = samples.at(-1);
    if (last)
      print(`${String(Math.round(watched)).padStart(5)} s of ${seconds}: ${formatSample(last)}`);
  }
  const all = sampler.samples.slice(first);
  const counted = all.filter(({ atS }) => atS >= (all[0]?.atS ?? 0) + warmUpS);
  return {
    ...window.figures(),
    rate,
    warmUpS,
    seconds,
    samples: all,
    cores: meanCores(counted),
    machine: meanMachine(counted),
    memory: memoryTrends(counted),
    lag: lagTrends(counted),
  };
}

function memoryTrends(samples: readonly LoadSample[]): JudgedTrend[] {
  const names = Object.keys(samples.at(-1)?.processes ?? {});
  return names.map((name) =>
    judge(
      { name, unit: 'MB' },
      memorySlack,
      samples.map(({ atS, processes }) => [
        atS,
        (processes[name]?.ownMemoryBytes ?? Number.NaN) / 1024 / 1024,
      ]),
    ),
  );
}

/** The lags with their allowed growth: less than a user would notice. */
const lags: readonly {
  name: string;
  unit: string;
  slack: Slack;
  of(sample: LoadSample): number;
}[] = [
  {
    name: 'read models behind the log',
    unit: 's',
    slack: { share: 0.25, amount: 0.25 },
    of: ({ waiting }) => waiting.projectionLagS,
  },
  {
    name: 'events that read models have not',
    unit: 'events',
    slack: { share: 0.25, amount: 50 },
    of: ({ waiting }) => waiting.projectionLagEvents,
  },
  {
    name: 'event to webhook at the sink, p50',
    unit: 'ms',
    slack: { share: 0.25, amount: 50 },
    of: ({ webhooks }) => webhooks.p50Ms,
  },
  {
    name: 'event to webhook at the sink, p99',
    unit: 'ms',
    slack: { share: 0.25, amount: 250 },
    of: ({ webhooks }) => webhooks.p99Ms,
  },
  {
    name: 'webhooks on their way',
    unit: 'webhooks',
    slack: { share: 0.25, amount: 50 },
    of: ({ waiting }) => waiting.webhooksWaiting,
  },
  {
    name: 'operations that are open',
    unit: 'operations',
    slack: { share: 0.1, amount: 20 },
    of: ({ open }) => open,
  },
  {
    name: 'the look at an operation that is overdue the longest',
    unit: 's',
    slack: { share: 0.25, amount: 1 },
    of: ({ waiting }) => waiting.oldestOverdueS,
  },
  {
    name: 'creates, p99 of a second',
    unit: 'ms',
    slack: { share: 0.25, amount: 25 },
    of: ({ creates }) => creates.p99Ms,
  },
];

const lagTrends = (samples: readonly LoadSample[]): JudgedTrend[] =>
  lags.map(({ name, unit, slack, of }) =>
    judge(
      { name, unit },
      slack,
      samples.map((sample) => [sample.atS, of(sample)]),
    ),
  );

function judge(what: { name: string; unit: string }, slack: Slack, points: readonly Point[]) {
  const trend = computeTrend(points);
  return { ...what, trend, flat: isFlat(trend, slack) };
}

function formatSample({ seconds, kinds, creates, webhooks, waiting, open }: LoadSample): string {
  const answered = Object.values(kinds).reduce((sum, kind) => sum + kind.answered, 0) / seconds;
  return [
    `${answered.toFixed(0)} answered/s`,
    `creates p99 ${ms(creates.p99Ms)}`,
    `webhooks p99 ${ms(webhooks.p99Ms)}`,
    `read models ${figure(waiting.projectionLagS)} s behind`,
    `${open} open`,
  ].join(' · ');
}
