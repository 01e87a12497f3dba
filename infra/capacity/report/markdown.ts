import { kinds } from '../load/kinds.ts';
import type { CapacityResult } from '../run.ts';
import { stores } from '../sample/disk.ts';
import type { KindSample, Sample } from '../sample/sample.ts';
import type { Step } from '../search.ts';
import { memorySlack, type JudgedTrend, type Soak } from '../soak.ts';
import { stackSettings, shopCount } from '../stack.ts';
import type { ChartFile } from './charts.ts';
import { verdictsOf } from './verdicts.ts';

export type Charts = { readonly search: readonly ChartFile[]; readonly soak: readonly ChartFile[] };

const ofRun = ['load generator', 'webhook sink', 'sampler of this run'];

/** What a run found, in Markdown; charts are looked for in `images`. */
export function renderReport(
  result: CapacityResult,
  { charts, images }: { charts: Charts; images: string },
): string {
  const { options, machine, search, soak, rest, startedAt } = result;
  const pictures = (files: readonly ChartFile[]) =>
    files.map(({ file, title }) => `![${title}](${images}/${file})`);
  const gigabytes = (machine.memoryBytes / 2 ** 30).toFixed(0);
  const blocks = [
    '### Verdict',
    verdictsOf(result)
      .map((line) => `- ${line}`)
      .join('\n'),
    '### Machine and settings',
    table(
      ['', ''],
      [
        ['begun', startedAt],
        ['machine', `${machine.cores} cores (${machine.processor}), ${gigabytes} GB, ${machine.kernel}`],
        ['Node.js', machine.node],
        [
          'disk',
          `${machine.fileSystem}; 4 KiB written and synced in ${ms(machine.fsyncP50Ms)}, at worst ${ms(machine.fsyncWorstMs)}`,
        ],
        ['load before the start', machine.loadBefore.toFixed(2)],
        ['seed', String(options.seed)],
        ['steps', `${options.stepSeconds} s, of which the first ${options.settleSeconds} s do not count`],
        ['shops', `${shopCount}, of which the first gets a third of all operations`],
        [
          'stack',
          `one instance of each service, ${Object.entries(stackSettings)
            .map(([name, value]) => `\`${name}=${value}\``)
            .join(' ')}, all else by default`,
        ],
      ],
    ),
    '### Rising rates',
    'Of each step what came when it had settled. Latencies are those of creates, in milliseconds, from the moment at which each was due.',
    table(
      [
        'asked for, /s',
        'answered, /s',
        'operations/s',
        'p50',
        'p95',
        'p99',
        'webhooks p50',
        'p99',
        'busy',
        'steal',
        '',
      ],
      search.steps.map(stepRow),
    ),
    ...pictures(charts.search),
    ...(soak === undefined ? [] : soakBlocks(soak, pictures(charts.soak))),
    '### At rest',
    table(
      ['', ''],
      [
        [
          'operations that were created and ended',
          `${count(rest.totals.created)}, ${count(rest.totals.ended)}`,
        ],
        ['operations without an answered create', count(rest.totals.unanswered)],
        [
          'webhooks, and those that came again',
          `${count(rest.totals.webhooks)}, ${count(rest.totals.repeats)}`,
        ],
        ['from the last arrival until nothing was open', `${rest.restS.toFixed(0)} s`],
        [
          'audit',
          `${count(rest.audit.events)} events, ${count(rest.audit.operations)} operations, ${count(rest.audit.entries)} entries in ${rest.audit.seconds.toFixed(0)} s, exit code ${rest.audit.code}`,
        ],
      ],
    ),
    rest.findings.length === 0
      ? 'Nothing found that should not be.'
      : rest.findings.map((finding) => `- **${finding}**`).join('\n'),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function stepRow({ figures, creates, webhooks, machine, reasons, again }: Step): string[] {
  return [
    `${figures.rate}${again ? ', again' : ''}`,
    (figures.answered / figures.seconds).toFixed(0),
    (figures.created / figures.seconds).toFixed(0),
    figure(creates.p50Ms),
    figure(creates.p95Ms),
    figure(creates.p99Ms),
    figure(webhooks.p50Ms),
    figure(webhooks.p99Ms),
    percent(machine.busy),
    percent(machine.steal),
    reasons.length === 0 ? 'holds' : `bends: ${reasons.join('; ')}`,
  ];
}

function soakBlocks(soak: Soak, pictures: readonly string[]): string[] {
  const { rate, seconds, warmUpS, samples, cores, machine, codes } = soak;
  const counted = seconds - warmUpS;
  const ours = ofRun.reduce((sum, name) => sum + (cores[name] ?? 0), 0);
  const errors = Object.entries(codes).toSorted(([, left], [, right]) => right - left);
  return [
    `### Soak: ${Math.round(seconds / 60)} minutes at ${rate} requests a second`,
    `The first ${warmUpS} s do not count. Latencies in milliseconds, from the moment at which each request was due.`,
    table(
      ['', 'became due', 'answered, /s', 'failed', 'p50', 'p95', 'p99'],
      [
        ...kinds.map((kind) => kindRow(kind, soak.kinds[kind], counted)),
        kindRow('all creates', soak.creates, counted),
        kindRow('all', soak.all, counted),
      ],
    ),
    `Webhooks: ${(soak.webhooks.arrived / counted).toFixed(0)} a second; from an event to its webhook at the sink p50 ${ms(soak.webhooks.p50Ms)}, p99 ${ms(soak.webhooks.p99Ms)}. ${
      errors.length === 0
        ? 'No answer of 400 or above.'
        : 'Answers of 400 and above, by kind, status and code:'
    }`,
    ...(errors.length === 0
      ? []
      : [
          table(
            ['answer', 'times'],
            errors.map(([what, times]) => [what, count(times)]),
          ),
        ]),
    ...pictures,
    '#### Memory',
    `Medians of the first and the last third, and the slope of Theil and Sen. Flat: the last third has no more than ${memorySlack.share * 100} % and ${memorySlack.amount} MB on top of the first.`,
    trendTable(soak.memory),
    '#### Lag',
    trendTable(soak.lag),
    '#### Processors and disk',
    `Of ${(machine.busy * 100).toFixed(0)} % of the machine that were busy (${percent(machine.iowait)} waited for the disk, ${percent(machine.steal)} were taken by other machines on the host), the run itself took ${ours.toFixed(2)} cores; the load was sent ${ms(soak.sentLateP99Ms)} late at most, 99 times of 100.`,
    table(
      ['process', 'cores'],
      Object.entries(cores)
        .toSorted(([, left], [, right]) => right - left)
        .map(([name, used]) => [name, used.toFixed(3)]),
    ),
    diskTable(samples),
  ];
}

function kindRow(name: string, sample: KindSample | undefined, seconds: number): string[] {
  if (sample === undefined) return [name];
  const { due, answered, failed, p50Ms, p95Ms, p99Ms } = sample;
  return [
    name,
    count(due),
    (answered / seconds).toFixed(1),
    count(failed),
    figure(p50Ms),
    figure(p95Ms),
    figure(p99Ms),
  ];
}

const trendTable = (trends: readonly JudgedTrend[]): string =>
  table(
    ['', 'first third', 'last third', 'by the hour', ''],
    trends.map(({ name, unit, trend, flat }) => [
      name,
      `${figure(trend.first)} ${unit}`,
      `${figure(trend.last)} ${unit}`,
      `${trend.perHour >= 0 ? '+' : '−'}${figure(Math.abs(trend.perHour))} ${unit}`,
      flat ? 'flat' : '**grows**',
    ]),
  );

/** How the stores grew, by the operation that was created meanwhile. */
function diskTable(samples: readonly Sample[]): string {
  const looks = samples.filter(({ diskBytes }) => diskBytes !== undefined);
  const [first, last] = [looks[0], looks.at(-1)];
  const created = samples
    .filter(({ atS }) => atS > (first?.atS ?? 0) && atS <= (last?.atS ?? 0))
    .reduce((sum, { creates }) => sum + creates.answered, 0);
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  return table(
    ['store', 'at the beginning, MB', 'at the end, MB', 'an operation, bytes'],
    stores.map((store) => {
      const [from, to] = [first?.diskBytes?.[store] ?? 0, last?.diskBytes?.[store] ?? 0];
      return [
        store,
        megabytes(from),
        megabytes(to),
        created === 0 ? '' : count(Math.round((to - from) / created)),
      ];
    }),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${head.map((_, column) => (cells[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A figure with as many digits as tell something. */
const figure = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 100 ? count(Math.round(value)) : String(Number(value.toPrecision(2)));
};
const ms = (value: number) => `${figure(value)} ms`;
const count = (value: number) => value.toLocaleString('en-US');
const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
