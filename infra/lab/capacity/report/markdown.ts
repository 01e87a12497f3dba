import { sharedBuffers } from '#infra/postgres/launch.ts';
import { loadKinds } from '#infra/lab/load/generator/kinds.ts';
import type { CapacityComparison } from '../compare.ts';
import type { CapacityResult } from '../run.ts';
import { stores } from '#infra/lab/load/sample/disk.ts';
import type { KindSample, LoadSample } from '#infra/lab/load/sample/sample.ts';
import type { LoadStep } from '#infra/lab/load/driver.ts';
import { memorySlack, type JudgedTrend, type Soak } from '../soak.ts';
import { stackSettings, shopCount } from '#infra/lab/targets/gateway.ts';
import { markdownTable } from '#infra/verify/harness/figures/tables.ts';
import {
  formatCount,
  figure,
  formatMinutes,
  ms,
  coresUsedByOthers,
  formatPercent,
} from '#infra/lab/report/figures.ts';
import { verdictLines } from './verdicts.ts';

const ofRun = ['load generator', 'webhook sink', 'sampler of this run'];

/** The results of a run, in Markdown. */
export function renderCapacityReport(result: CapacityResult): string {
  const { machine, search, soak, rest, comparison } = result;
  const blocks = [
    '### Verdict',
    verdictLines(result)
      .map((line) => `- ${line}`)
      .join('\n'),
    '### Machine and settings',
    settingsTable(result),
    '### Rising rates',
    'The figures of each step once it had settled. Latencies are those of creates, in milliseconds, from the moment at which each was due. `others`: cores that other work on this machine took; `steal`: what other machines on the host took.',
    ...stepBlocks(search.steps, machine.cores),
    ...(soak === undefined ? [] : soakBlocks(soak, machine.cores)),
    ...(comparison === undefined ? [] : comparisonBlocks(comparison, machine.cores)),
    '### At rest',
    restTable(rest),
    rest.findings.length === 0
      ? 'Nothing found that should not be.'
      : rest.findings.map((finding) => `- **${finding}**`).join('\n'),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function settingsTable({ options, machine, startedAt }: CapacityResult): string {
  const gigabytes = (machine.memoryBytes / 2 ** 30).toFixed(0);
  return markdownTable(
    ['', ''],
    [
      ['begun', startedAt],
      [
        'machine',
        `${machine.cores} cores (${machine.processor}), ${gigabytes} GB, ${machine.kernel}`,
      ],
      ['Node.js', machine.node],
      [
        'disk',
        `${machine.fileSystem}; 4 KiB written and synced in ${ms(machine.fsyncP50Ms)}, at worst ${ms(machine.fsyncWorstMs)}`,
      ],
      ['load before the start', machine.loadBefore.toFixed(2)],
      ['seed', String(options.seed)],
      [
        'steps',
        `${options.stepSeconds} s, of which the first ${options.settleSeconds} s do not count`,
      ],
      ['shops', `${shopCount}, of which the first gets a third of all operations`],
      [
        'stack',
        `one instance of each service, ${Object.entries(stackSettings)
          .map(([name, value]) => `\`${name}=${value}\``)
          .join(' ')}, all else by default`,
      ],
    ],
  );
}

function restTable({ totals, restS, audit }: CapacityResult['rest']): string {
  return markdownTable(
    ['', ''],
    [
      [
        'operations that were created and ended',
        `${formatCount(totals.created)}, ${formatCount(totals.ended)}`,
      ],
      ['operations without an answered create', formatCount(totals.unanswered)],
      [
        'webhooks, and those that came again',
        `${formatCount(totals.webhooks)}, ${formatCount(totals.repeats)}`,
      ],
      ['from the last arrival until nothing was open', `${restS.toFixed(0)} s`],
      [
        'audit',
        `${formatCount(audit.events)} events, ${formatCount(audit.operations)} operations, ${formatCount(audit.entries)} entries in ${audit.seconds.toFixed(0)} s, exit code ${audit.code}`,
      ],
    ],
  );
}

function comparisonBlocks(
  { gateway, counterpart }: CapacityComparison,
  allCores: number,
): string[] {
  return [
    '### Compared with the CRUD counterpart',
    'Each started anew, with the same load: without receipts, which the counterpart does not take.',
    '#### The gateway',
    ...stepBlocks(gateway.steps, allCores),
    '#### The CRUD counterpart',
    ...stepBlocks(counterpart.steps, allCores),
  ];
}

/** The steps, with the reasons of bends below the table, because they are long. */
function stepBlocks(steps: readonly LoadStep[], allCores: number): string[] {
  const bends = steps.filter(({ reasons }) => reasons.length > 0);
  return [
    stepTable(steps, allCores),
    ...(bends.length === 0
      ? []
      : [
          'Why a step bends:',
          bends.map((step) => `- ${stepName(step)}: ${step.reasons.join('; ')}`).join('\n'),
        ]),
  ];
}

function stepTable(steps: readonly LoadStep[], allCores: number): string {
  const rates = ['offered, /s', 'answered, /s', 'operations/s'];
  const times = ['p50', 'p95', 'p99', 'webhooks p50', 'p99'];
  return markdownTable(
    [...rates, ...times, 'busy', 'others', 'steal', ''],
    steps.map((step) => stepRow(step, allCores)),
  );
}

const stepName = ({ figures, again }: LoadStep): string =>
  `${figures.rate}${again ? ', again' : ''}`;

function stepRow(step: LoadStep, allCores: number): string[] {
  const { figures, creates, webhooks, machine, reasons } = step;
  return [
    stepName(step),
    (figures.answered / figures.seconds).toFixed(0),
    (figures.created / figures.seconds).toFixed(0),
    figure(creates.p50Ms),
    figure(creates.p95Ms),
    figure(creates.p99Ms),
    figure(webhooks.p50Ms),
    figure(webhooks.p99Ms),
    formatPercent(machine.busy),
    coresUsedByOthers(machine, step.cores, allCores).toFixed(2),
    formatPercent(machine.steal),
    reasons.length === 0 ? 'holds' : 'bends',
  ];
}

function soakBlocks(soak: Soak, allCores: number): string[] {
  const { rate, seconds, warmUpS, samples, cores, machine, codes } = soak;
  const counted = seconds - warmUpS;
  const ours = ofRun.reduce((sum, name) => sum + (cores[name] ?? 0), 0);
  const inStack = Object.values(cores).reduce((sum, one) => sum + one, 0) - ours;
  const errors = Object.entries(codes).toSorted(([, left], [, right]) => right - left);
  return [
    `### Soak: ${formatMinutes(seconds)} at ${rate} requests a second`,
    `The first ${warmUpS} s do not count. Latencies in milliseconds, from the moment at which each request was due.`,
    markdownTable(
      ['', 'became due', 'answered, /s', 'failed', 'p50', 'p95', 'p99'],
      [
        ...loadKinds.map((kind) => kindRow(kind, soak.kinds[kind], counted)),
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
          markdownTable(
            ['answer', 'times'],
            errors.map(([what, times]) => [what, formatCount(times)]),
          ),
        ]),
    '#### Memory',
    `Each process's own memory, without what it shares with its children: medians of the first and the last third, and the slope of Theil and Sen. Flat: the last third has no more than ${memorySlack.share * 100} % and ${memorySlack.amount} MB on top of the first. By the operation: the slope divided by the operations that were created.`,
    trendTable(soak.memory, soak.creates.answered / counted),
    sharedLine(samples.at(-1)),
    '#### Lag',
    trendTable(soak.lag),
    '#### Processors and disk',
    `${formatPercent(machine.busy)} of ${allCores} cores were busy: ${inStack.toFixed(2)} cores with the stack, ${ours.toFixed(2)} with the run itself (load, sink, sampler), ${coresUsedByOthers(machine, cores, allCores).toFixed(2)} with others on the machine. ${formatPercent(machine.iowait)} waited for the disk, ${formatPercent(machine.steal)} went to other machines on the host. Requests were sent at most ${ms(soak.sentLateP99Ms)} after they were due, 99 times of 100; that time is part of their latencies.`,
    markdownTable(
      ['process', 'cores'],
      Object.entries(cores)
        .toSorted(([, left], [, right]) => right - left)
        .map(([name, used]) => [name, used.toFixed(3)]),
    ),
    diskTable(samples),
  ];
}

/** PostgreSQL's shared buffers are allocated once, and filled as pages are used. */
function sharedLine(last: LoadSample | undefined): string {
  const { memoryBytes = 0, ownMemoryBytes = 0 } = last?.processes['postgres'] ?? {};
  const megabytes = ((memoryBytes - ownMemoryBytes) / 1024 / 1024).toFixed(0);
  return `At the end PostgreSQL's processes shared ${megabytes} MB, programs included; its buffers take ${sharedBuffers} at most (\`shared_buffers\`).`;
}

function kindRow(name: string, sample: KindSample | undefined, seconds: number): string[] {
  if (sample === undefined) return [name];
  const { due, answered, failed, p50Ms, p95Ms, p99Ms } = sample;
  return [
    name,
    formatCount(due),
    (answered / seconds).toFixed(1),
    formatCount(failed),
    figure(p50Ms),
    figure(p95Ms),
    figure(p99Ms),
  ];
}

function trendTable(trends: readonly JudgedTrend[], createsPerS?: number): string {
  const byOperation = createsPerS !== undefined;
  return markdownTable(
    [
      '',
      'first third',
      'last third',
      'by the hour',
      ...(byOperation ? ['an operation, bytes'] : []),
      '',
    ],
    trends.map(({ name, unit, trend, flat }) => [
      name,
      `${figure(trend.first)} ${unit}`,
      `${figure(trend.last)} ${unit}`,
      `${signed(trend.perHour)} ${unit}`,
      ...(byOperation ? [signed((trend.perHour * 2 ** 20) / (createsPerS * 3_600))] : []),
      flat ? 'flat' : Number.isFinite(trend.last) ? '**grows**' : 'not known',
    ]),
  );
}

const signed = (value: number) => `${value < 0 ? '−' : '+'}${figure(Math.abs(value))}`;

/** The growth of the stores, by created operation. */
function diskTable(samples: readonly LoadSample[]): string {
  const withDisk = samples.filter(({ diskBytes }) => diskBytes !== undefined);
  const [first, last] = [withDisk[0], withDisk.at(-1)];
  const created = samples
    .filter(({ atS }) => atS > (first?.atS ?? 0) && atS <= (last?.atS ?? 0))
    .reduce((sum, { creates }) => sum + creates.answered, 0);
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  return markdownTable(
    ['store', 'at the beginning, MB', 'at the end, MB', 'an operation, bytes'],
    stores.map((store) => {
      const [from, to] = [first?.diskBytes?.[store] ?? 0, last?.diskBytes?.[store] ?? 0];
      return [
        store,
        megabytes(from),
        megabytes(to),
        created === 0 ? '' : formatCount(Math.round((to - from) / created)),
      ];
    }),
  );
}
