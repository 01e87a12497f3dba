import { median } from '#infra/verify/harness/statistics.ts';
import { kinds } from '#infra/lab/load/generator/kinds.ts';
import { stores } from '#infra/lab/load/sample/disk.ts';
import type { KindSample, Sample } from '#infra/lab/load/sample/sample.ts';
import type { CapacityResult } from '../run.ts';
import type { Step } from '#infra/lab/load/driver.ts';
import { renderChart, type Chart, type Series } from '#infra/lab/report/chart.ts';

/** A chart as a file, with what it shows. */
export type ChartFile = { readonly file: string; readonly title: string; readonly svg: string };

/** A logarithm has no nothing: what is not behind at all is drawn as a millisecond behind. */
const atLeast = (seconds: number) => Math.max(0.001, seconds);

const megabyte = 1024 * 1024;
/** More points than this show nothing more. */
const mostPoints = 200;

/** The charts of the search. */
export function searchCharts({ search }: CapacityResult): ChartFile[] {
  // Of a rate that was tried again the last try is shown.
  const last = new Map(search.steps.map((step) => [step.figures.rate, step]));
  const steps = [...last.values()];
  const line = (name: string, value: (step: Step) => number): Series => ({
    name,
    points: steps.map((step) => [step.figures.rate, value(step)]),
  });
  const x = { label: 'requests a second that were asked for' };
  const marks = search.bend ? [{ x: search.bend.figures.rate, label: 'the bend' }] : [];
  const names = Object.keys(steps.at(-1)?.cores ?? {});
  const middle = (points: Step['figures']['open']) => median(points.map(([, value]) => value));
  const charts: Record<string, Chart> = {
    'rising-throughput': {
      title: 'Rising rates: what was answered',
      x,
      y: { label: 'requests a second' },
      marks,
      series: [
        line('asked for', ({ figures }) => figures.rate),
        line('became due', ({ figures }) => figures.due / figures.seconds),
        line('answered', ({ figures }) => figures.answered / figures.seconds),
      ],
    },
    'rising-creates': {
      title: 'Rising rates: time to create a payment or a payout',
      x,
      y: { label: 'milliseconds', scale: 'log' },
      marks,
      series: createTimes(line),
    },
    'rising-kinds': {
      title: 'Rising rates: 99th percentile of each kind of request',
      x,
      y: { label: 'milliseconds', scale: 'log' },
      marks,
      series: kinds.map((kind) => line(kind, (step) => step.kinds[kind]?.p99Ms ?? Number.NaN)),
    },
    'rising-behind': {
      title: 'Rising rates: how far behind the log others are',
      x,
      y: { label: 'seconds', scale: 'log' },
      marks,
      series: [
        line('event to webhook, p50', ({ webhooks }) => webhooks.p50Ms / 1_000),
        line('event to webhook, p99', ({ webhooks }) => webhooks.p99Ms / 1_000),
        line('read models, median', ({ figures }) => atLeast(middle(figures.projectionLagS))),
      ],
    },
    'rising-cores': {
      title: 'Rising rates: processors',
      x,
      y: { label: 'cores' },
      marks,
      series: names.map((name) => line(name, ({ cores }) => cores[name] ?? Number.NaN)),
    },
  };
  return filesOf(charts);
}

type Soak = NonNullable<CapacityResult['soak']>;

/** The charts of the soak. */
export function soakCharts({ soak }: CapacityResult): ChartFile[] {
  if (soak === undefined) return [];
  const drawing = drawingOf(soak);
  return filesOf({
    ...soakAnswers(soak, drawing),
    ...soakBacklogs(drawing),
    ...soakProcesses(soak, drawing),
  });
}

type Drawing = Required<Pick<Chart, 'x' | 'marks'>> & {
  began: number;
  line(name: string, value: (sample: Sample) => number): Series;
};

/** What the charts of a soak have in common. */
function drawingOf(soak: Soak): Drawing {
  const { samples, warmUpS } = soak;
  const began = samples[0]?.atS ?? 0;
  const size = Math.ceil(samples.length / mostPoints);
  const groups = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) =>
    samples.slice(index * size, (index + 1) * size),
  );
  const line = (name: string, value: (sample: Sample) => number): Series => ({
    name,
    points: groups.map((group): [number, number] => [
      ((group[0]?.atS ?? began) - began) / 60,
      median(group.map(value).filter((one) => Number.isFinite(one))),
    ]),
  });
  const x = { label: size > 1 ? `minutes; a point is the median of ${size} s` : 'minutes' };
  const marks = [{ x: warmUpS / 60, label: 'counts from here' }];
  return { x, marks, began, line };
}

function soakAnswers({ rate }: Soak, { x, marks, line }: Drawing): Record<string, Chart> {
  return {
    'soak-throughput': {
      title: `Soak at ${rate} requests a second: answers`,
      x,
      y: { label: 'answers a second' },
      marks,
      series: kinds.map((kind) => line(kind, (one) => one.kinds[kind].answered / one.seconds)),
    },
    'soak-creates': {
      title: 'Soak: time to create a payment or a payout',
      x,
      y: { label: 'milliseconds', scale: 'log' },
      marks,
      series: createTimes(line),
    },
    'soak-kinds': {
      title: 'Soak: 99th percentile of each kind of request',
      x,
      y: { label: 'milliseconds', scale: 'log' },
      marks,
      series: kinds.map((kind) => line(kind, (one) => one.kinds[kind].p99Ms)),
    },
  };
}

function soakBacklogs({ x, marks, line }: Drawing): Record<string, Chart> {
  return {
    'soak-behind': {
      title: 'Soak: how far behind the log others are',
      x,
      y: { label: 'seconds', scale: 'log' },
      marks,
      series: [
        line('event to webhook, p50', ({ webhooks }) => webhooks.p50Ms / 1_000),
        line('event to webhook, p99', ({ webhooks }) => webhooks.p99Ms / 1_000),
        line('read models', ({ waiting }) => atLeast(waiting.projectionLagS)),
        line('oldest webhook on its way', ({ waiting }) => atLeast(waiting.oldestWebhookS)),
      ],
    },
    'soak-waiting': {
      title: 'Soak: what waits',
      x,
      y: { label: 'how many' },
      marks,
      series: [
        line('operations that are open', ({ open }) => open),
        line('events that read models have not', ({ waiting }) => waiting.projectionLagEvents),
        line('webhooks on their way', ({ waiting }) => waiting.webhooksWaiting),
        line('operations whose look is due', ({ waiting }) => waiting.overdueOperations),
        line('requests not answered yet', ({ inFlight }) => inFlight),
      ],
    },
  };
}

function soakProcesses(
  { samples }: Soak,
  { x, marks, began, line }: Drawing,
): Record<string, Chart> {
  const names = Object.keys(samples.at(-1)?.processes ?? {});
  return {
    'soak-memory': {
      title: 'Soak: memory of each process',
      x,
      y: { label: 'MB' },
      marks,
      series: names.map((name) =>
        line(name, ({ processes }) => (processes[name]?.memoryBytes ?? Number.NaN) / megabyte),
      ),
    },
    'soak-cores': {
      title: 'Soak: processors',
      x,
      y: { label: 'cores' },
      marks,
      series: names.map((name) =>
        line(name, ({ processes }) => processes[name]?.cores ?? Number.NaN),
      ),
    },
    'soak-disk': {
      title: 'Soak: what each store has on the disk',
      x: { label: 'minutes' },
      y: { label: 'MB' },
      marks,
      series: stores.map((store) => ({
        name: store,
        points: samples.flatMap(({ atS, diskBytes }): [number, number][] => {
          const bytes = diskBytes?.[store];
          return bytes === undefined ? [] : [[(atS - began) / 60, bytes / megabyte]];
        }),
      })),
    },
  };
}

/** A line of steps or of samples for each percentile of creates. */
const createTimes = (
  line: (name: string, value: (of: { readonly creates: KindSample }) => number) => Series,
): Series[] => [
  line('p50', ({ creates }) => creates.p50Ms),
  line('p95', ({ creates }) => creates.p95Ms),
  line('p99', ({ creates }) => creates.p99Ms),
];

const filesOf = (charts: Readonly<Record<string, Chart>>): ChartFile[] =>
  Object.entries(charts).map(([name, chart]) => ({
    file: `${name}.svg`,
    title: chart.title,
    svg: renderChart(chart),
  }));
