import type { Helper } from '#infra/verify/harness/processes/helper-process.ts';
import { ms, formatPercent } from '#infra/lab/report/figures.ts';
import type { GeneratorOrder } from './generator/messages.ts';
import { bendsIn, usualP99Ms, type StepFigures } from './judge/bend.ts';
import type { Point } from './judge/trend.ts';
import type { Phase, LoadSample } from './sample/sample.ts';
import type { Sampler } from './sample/sampler.ts';
import type { WindowFigures } from './sample/window.ts';

/** A rate that was tried, with its measurements after it settled. */
export type LoadStep = WindowFigures & {
  readonly figures: StepFigures;
  /** Cores that each process used. */
  readonly cores: Readonly<Record<string, number>>;
  readonly machine: LoadSample['machine'];
  /** In what it bends; undefined if it holds. */
  readonly reasons: readonly string[];
  /** The same rate bent before, and is tried again. */
  readonly again: boolean;
};

/** How long a rate is tried. */
export type StepTiming = {
  readonly stepSeconds: number;
  /** Of each step, before its figures count. */
  readonly settleSeconds: number;
};

/** Sends a load and samples its target meanwhile. */
export type Driver<Options extends StepTiming = StepTiming> = {
  readonly options: Options;
  readonly sampler: Sampler;
  readonly generator: Helper<GeneratorOrder>;
  readonly print: (line: string) => void;
};

const pauseAtMostS = 90;

type Try = { rate: number; before: readonly LoadStep[]; again: boolean };

/** Sends a load at a rate, and samples it for a time. */
export async function watchAt(
  { generator, sampler }: Driver,
  { phase, rate }: { phase: Phase; rate: number },
  seconds: number,
): ReturnType<Sampler['watch']> {
  await generator.request({ order: 'rate', perSecond: rate });
  sampler.enter(phase, rate);
  return sampler.watch(seconds);
}

/** One rate for as long as a step takes. */
export async function tryRate(driver: Driver, { rate, before, again }: Try): Promise<LoadStep> {
  const { options, sampler, print } = driver;
  await watchAt(driver, { phase: 'step', rate }, options.settleSeconds);
  const { window, samples } = await sampler.watch(options.stepSeconds - options.settleSeconds);
  const seen = window.figures();
  const figures = computeFigures(rate, seen, samples);
  const held = before.filter(({ reasons }) => reasons.length === 0);
  const reasons = bendsIn(figures, usualP99Ms([...held.map((step) => step.figures), figures]));
  const step: LoadStep = {
    ...seen,
    figures,
    cores: meanCores(samples),
    machine: meanMachine(samples),
    reasons,
    again,
  };
  print(formatStep(step));
  return step;
}

/**
 * Pauses the arrivals until all but a few operations have ended and nothing lags; for a minute and
 * a half at most.
 */
export async function workOff(driver: Driver, butFor = 5): Promise<void> {
  for (let waited = 0; waited < pauseAtMostS; waited += 2) {
    const { samples } = await watchAt(driver, { phase: 'pause', rate: 0 }, 2);
    const last = samples.at(-1);
    if (
      last &&
      last.open <= butFor &&
      last.inFlight === 0 &&
      !(last.waiting.projectionLagEvents > 0)
    )
      return;
  }
}

function computeFigures(
  rate: number,
  { all, creates }: WindowFigures,
  samples: readonly LoadSample[],
): StepFigures {
  const points = (value: (sample: LoadSample) => number): Point[] =>
    samples.map((sample) => [sample.atS, value(sample)]);
  return {
    rate,
    seconds: samples.reduce((sum, sample) => sum + sample.seconds, 0),
    due: all.due,
    answered: all.answered,
    created: creates.answered,
    createsP99Ms: creates.p99Ms,
    open: points(({ open }) => open),
    projectionLagS: points(({ waiting }) => waiting.projectionLagS),
    webhookAgeS: points(({ webhooks }) => webhooks.p50Ms / 1_000),
  };
}

export function meanCores(samples: readonly LoadSample[]): Record<string, number> {
  const names = Object.keys(samples.at(-1)?.processes ?? {});
  return Object.fromEntries(
    names.map((name) => [name, mean(samples.map(({ processes }) => processes[name]?.cores ?? 0))]),
  );
}

export const meanMachine = (samples: readonly LoadSample[]): LoadSample['machine'] => ({
  busy: mean(samples.map(({ machine }) => machine.busy)),
  iowait: mean(samples.map(({ machine }) => machine.iowait)),
  steal: mean(samples.map(({ machine }) => machine.steal)),
});

const mean = (values: readonly number[]) =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

function formatStep({ figures, creates, webhooks, machine, reasons, again }: LoadStep): string {
  const { rate, answered, seconds } = figures;
  return [
    `${String(rate).padStart(5)} requests/s${again ? ', again' : ''}: ${(answered / seconds).toFixed(0)} answered/s`,
    `creates p50 ${ms(creates.p50Ms)}, p99 ${ms(creates.p99Ms)}`,
    `webhooks p50 ${ms(webhooks.p50Ms)}, p99 ${ms(webhooks.p99Ms)}`,
    `processors ${formatPercent(machine.busy)} busy, ${formatPercent(machine.steal)} taken by other machines`,
    reasons.length === 0 ? 'holds' : `BENDS: ${reasons.join('; ')}`,
  ].join(' · ');
}
