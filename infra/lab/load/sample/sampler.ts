import { setTimeout as delay } from 'node:timers/promises';
import { readProcessors, processorShares, type Processors } from './processors.ts';
import type { Helper } from '#infra/verify/harness/processes/helper-process.ts';
import type {
  GeneratorOrder,
  GeneratorTaken,
  SinkOrder,
  SinkTaken,
} from '../generator/messages.ts';
import type { LoadTarget } from '../target.ts';
import { noMetrics } from './metrics.ts';
import { createOperations } from './operations.ts';
import { readUsage, type Usage } from './usage.ts';
import type { Phase, LoadSample } from './sample.ts';
import { createWindow, type Window } from './window.ts';

type SamplerSources = {
  readonly target: Pick<LoadTarget, 'processes' | 'waiting' | 'diskBytes'>;
  readonly generator: Helper<GeneratorOrder>;
  readonly sink: Helper<SinkOrder>;
};

export type Sampler = ReturnType<typeof createSampler>;

const diskEverySeconds = 10;

/** Samples everything once a second, until it is stopped. */
export function createSampler({ target, generator, sink }: SamplerSources) {
  const samples: LoadSample[] = [];
  const operations = createOperations();
  /** Webhooks with an invalid signature. */
  const faults: string[] = [];
  const beganMs = performance.now();
  let phase: Phase = 'warm-up';
  let rate = 0;
  let lastMs = beganMs;
  let nextDiskMs = beganMs;
  const usedSince = createUsage({ target, generator, sink });

  const sample = async (window: Window): Promise<LoadSample> => {
    // Under load the metrics may be slow: answers count up to the time at which they were taken.
    const scraping = target.waiting?.();
    const [load, sunk] = await Promise.all([
      generator.request<GeneratorTaken>({ order: 'take' }),
      sink.request<SinkTaken>({ order: 'take' }),
    ]);
    const nowMs = performance.now();
    const seconds = (nowMs - lastMs) / 1_000;
    lastMs = nowMs;
    const used = usedSince(seconds);
    const waiting = (await scraping) ?? noMetrics;
    operations.addCreated(load.created);
    operations.addWebhooks(sunk.webhooks);
    faults.push(...sunk.faults.slice(0, 100));
    window.add(load, sunk);
    const second = createWindow();
    second.add(load, sunk);
    const { kinds, creates, webhooks } = second.figures();
    const disk = nowMs < nextDiskMs ? undefined : await target.diskBytes?.();
    if (disk) nextDiskMs = nowMs + diskEverySeconds * 1_000;
    return {
      atS: (nowMs - beganMs) / 1_000,
      seconds,
      phase,
      rate,
      kinds,
      creates,
      inFlight: load.inFlight,
      codes: load.codes,
      webhooks,
      open: operations.open(),
      waiting,
      ...used,
      ...(disk && { diskBytes: disk }),
    };
  };

  return {
    samples,
    operations,
    faults,
    /** What the next seconds belong to. */
    enter: (entered: Phase, perSecond: number) => {
      [phase, rate] = [entered, perSecond];
    },
    /**
     * Samples each second for a time.
     * @returns the window, a new one unless one is given, and the samples
     */
    watch: async (seconds: number, window = createWindow()) => {
      const first = samples.length;
      await eachSecond(seconds, async () => void samples.push(await sample(window)));
      return { window, samples: samples.slice(first) };
    },
  };
}

/** The most samples: those that take longer than a second are less frequent. */
async function eachSecond(seconds: number, act: () => Promise<void>): Promise<void> {
  const startMs = performance.now();
  for (let second = 1; second <= seconds; second += 1) {
    await delay(Math.max(0, startMs + second * 1_000 - performance.now()));
    await act();
    second = Math.max(second, Math.floor((performance.now() - startMs) / 1_000));
  }
}

/** CPU used by processes and the machine since the last call, some seconds ago. */
function createUsage({ target, generator, sink }: SamplerSources) {
  const named = () => ({
    ...target.processes(),
    'load generator': generator.pid,
    'webhook sink': sink.pid,
    'sampler of this run': process.pid,
  });
  let usage: Record<string, Usage> = readUsage(named());
  let processors: Processors = readProcessors();
  return (seconds: number): Pick<LoadSample, 'processes' | 'machine'> => {
    const before = { usage, processors };
    [usage, processors] = [readUsage(named()), readProcessors()];
    return {
      processes: computeUsageRates(before.usage, usage, seconds),
      machine: processorShares(before.processors, processors),
    };
  };
}

function computeUsageRates(
  before: Readonly<Record<string, Usage>>,
  after: Readonly<Record<string, Usage>>,
  seconds: number,
) {
  return Object.fromEntries(
    Object.entries(after).map(([name, { cpuMs, ...memory }]) => {
      // A restarted process counts from zero.
      const usedMs = Math.max(0, cpuMs - (before[name]?.cpuMs ?? cpuMs));
      return [name, { cores: usedMs / 1_000 / seconds, ...memory }];
    }),
  );
}
