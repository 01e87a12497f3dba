import type { Helper } from './helper-process.ts';
import { bendsIn, usualP99Ms, type StepFigures } from './judge/bend.ts';
import type { Point } from './judge/trend.ts';
import type { GeneratorOrder } from './load/messages.ts';
import { rateOfStep, type CapacityOptions } from './options.ts';
import { ms, percent } from './report/figures.ts';
import type { Sample } from './sample/sample.ts';
import type { Sampler } from './sample/sampler.ts';
import type { WindowFigures } from './sample/window.ts';

/** A rate that was tried, and what was seen of it when it had settled. */
export type Step = WindowFigures & {
  readonly figures: StepFigures;
  /** Cores that each process used. */
  readonly cores: Readonly<Record<string, number>>;
  readonly machine: Sample['machine'];
  /** In what it bends; nothing where it holds. */
  readonly reasons: readonly string[];
  /** The same rate bent before, and is tried once more. */
  readonly again: boolean;
};

export type Search = {
  readonly steps: readonly Step[];
  /** The rate that bent at each try; nothing where every rate held. */
  readonly bend: Step | undefined;
  /** The highest rate that held. */
  readonly held: Step | undefined;
};

/** How long a rate is tried. */
export type Pacing = Pick<CapacityOptions, 'stepSeconds' | 'settleSeconds'>;

export type Driver<Options extends Pacing = CapacityOptions> = {
  readonly options: Options;
  readonly sampler: Sampler;
  readonly generator: Helper<GeneratorOrder>;
  readonly say: (line: string) => void;
};

const pauseAtMostS = 90;
/** A rate that bends as often is the bend. */
const triesOfRate = 3;
/** Of all processors' time: where other machines on the host have more, a rate that bends tells nothing of the gateway. */
const stealAtMost = 0.1;
const triesAtMost = 8;

/**
 * Rates, one after the other, until one bends at each try: a disk or a neighbour that stalls the machine now and then is
 * no bend, and a try in which a neighbour had much of it does not count. In between, what has piled up is worked off.
 */
export async function searchBend(driver: Driver): Promise<Search> {
  const { options, say } = driver;
  const steps: Step[] = [];
  let held: Step | undefined;
  for (let number = 0; ; number += 1) {
    const rate = rateOfStep(options, number);
    if (rate === undefined) return { steps, bend: undefined, held };
    let step = await tryRate(driver, { rate, before: steps, again: false });
    steps.push(step);
    let bent = 0;
    for (let tries = 1; step.reasons.length > 0 && tries < triesAtMost; tries += 1) {
      if (step.machine.steal <= stealAtMost) bent += 1;
      if (bent === triesOfRate) break;
      say('it bends: once more, when what has piled up is worked off');
      await workOff(driver);
      step = await tryRate(driver, { rate, before: steps, again: true });
      steps.push(step);
    }
    if (step.reasons.length > 0) return { steps, bend: step, held };
    held = step;
  }
}

type Try = { rate: number; before: readonly Step[]; again: boolean };

/** One rate for as long as a step takes. */
export async function tryRate(
  { options, sampler, generator, say }: Driver<Pacing>,
  { rate, before, again }: Try,
): Promise<Step> {
  await generator.ask({ order: 'rate', perSecond: rate });
  sampler.enter('step', rate);
  await sampler.watch(options.settleSeconds);
  const { window, samples } = await sampler.watch(options.stepSeconds - options.settleSeconds);
  const seen = window.figures();
  const figures = figuresOf(rate, seen, samples);
  const held = before.filter(({ reasons }) => reasons.length === 0);
  const reasons = bendsIn(figures, usualP99Ms([...held.map((step) => step.figures), figures]));
  const step: Step = {
    ...seen,
    figures,
    cores: meanCores(samples),
    machine: meanMachine(samples),
    reasons,
    again,
  };
  say(lineOf(step));
  return step;
}

/** Nothing arrives until all but so many operations have ended and nothing is behind; for a minute and a half at most. */
export async function workOff({ sampler, generator }: Driver<Pacing>, butFor = 5): Promise<void> {
  await generator.ask({ order: 'rate', perSecond: 0 });
  sampler.enter('pause', 0);
  for (let waited = 0; waited < pauseAtMostS; waited += 2) {
    const { samples } = await sampler.watch(2);
    const last = samples.at(-1);
    if (last && last.open <= butFor && last.inFlight === 0 && !(last.waiting.projectionLagEvents > 0)) return;
  }
}

function figuresOf(rate: number, { all, creates }: WindowFigures, samples: readonly Sample[]): StepFigures {
  const points = (value: (sample: Sample) => number): Point[] =>
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

export function meanCores(samples: readonly Sample[]): Record<string, number> {
  const names = Object.keys(samples.at(-1)?.processes ?? {});
  return Object.fromEntries(
    names.map((name) => [name, mean(samples.map(({ processes }) => processes[name]?.cores ?? 0))]),
  );
}

export const meanMachine = (samples: readonly Sample[]): Sample['machine'] => ({
  busy: mean(samples.map(({ machine }) => machine.busy)),
  iowait: mean(samples.map(({ machine }) => machine.iowait)),
  steal: mean(samples.map(({ machine }) => machine.steal)),
});

const mean = (values: readonly number[]) =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

function lineOf({ figures, creates, webhooks, machine, reasons, again }: Step): string {
  const { rate, answered, seconds } = figures;
  return [
    `${String(rate).padStart(5)} requests/s${again ? ', again' : ''}: ${(answered / seconds).toFixed(0)} answered/s`,
    `creates p50 ${ms(creates.p50Ms)}, p99 ${ms(creates.p99Ms)}`,
    `webhooks p50 ${ms(webhooks.p50Ms)}, p99 ${ms(webhooks.p99Ms)}`,
    `processors ${percent(machine.busy)} busy, ${percent(machine.steal)} taken by other machines`,
    reasons.length === 0 ? 'holds' : `BENDS: ${reasons.join('; ')}`,
  ].join(' · ');
}
