import { availableParallelism } from 'node:os';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { createBenchContext, type BenchContext } from './context.ts';
import type { BenchSection } from '#infra/lab/report/section.ts';
import { renderSection } from '#infra/lab/report/table.ts';
import { machines } from './load/machines.ts';
import { measureAudit } from './sections/audit.ts';
import { measureCreates } from './sections/creates.ts';
import { measureDisturbed } from './sections/disturbed.ts';
import { measureLife, measureOverload } from './sections/life.ts';
import { measureMove } from './sections/move.ts';
import { measurePayouts } from './sections/payouts.ts';
import { measureProjections } from './sections/projections.ts';
import { measureReads } from './sections/reads.ts';
import { measureWebhooks } from './sections/webhooks.ts';

/**
 * `npm run bench`: measures everything with its counterparts, in alternating rounds of one run.
 */
const sections: Readonly<
  Record<string, (context: BenchContext) => Promise<BenchSection[]> | AsyncIterable<BenchSection>>
> = {
  creates: measureCreates,
  reads: measureReads,
  payouts: measurePayouts,
  projections: measureProjections,
  audit: measureAudit,
  move: measureMove,
  webhooks: measureWebhooks,
  life: measureLife,
  overload: measureOverload,
  disturbed: measureDisturbed,
};

const names = Object.keys(sections);
const usage = `usage: npm run bench -- [--quick] [--only <section>]… [--rates 20,60] [--apart]
                        [--machine busy|halved] [--operations 1000000] [--json]

Measures the gateway and the simplest programs that do the same (docs/measurements/benchmark.md).

  --quick           fewer and shorter rounds
  --only <section>  only this section; repeat for more: ${names.join(', ')}
  --rates <list>    requests a second of the section life; overload and disturbed start with the first
  --apart           run each service of life, overload and disturbed in its own process
  --machine <form>  life and overload while a process keeps one core busy (busy), or with half of the
                    cores for the systems under load (halved)
  --operations <n>  size of the log of the section move; default 20000, or 1000 with --quick
  --json            print only JSON on stdout: npm run -s bench -- --json
`;
const { values } = readCommandLine(usage, {
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    apart: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    rates: { type: 'string' },
    machine: { type: 'string', default: 'quiet' },
    operations: { type: 'string' },
  },
});
const chosen = values.only ?? names;
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) refuseCommandLine(usage, `There is no section ${unknown.join(', ')}`);

const rates = values.rates?.split(',').map(Number);
if (rates?.some((rate) => !(rate > 0 && rate <= 100_000)))
  refuseCommandLine(usage, '--rates takes requests a second, such as 20,60');

const operations = values.operations === undefined ? undefined : Number(values.operations);
if (operations !== undefined && !(Number.isSafeInteger(operations) && operations > 0))
  refuseCommandLine(usage, '--operations takes a number of operations, such as 1000000');

const onMachine = machines[values.machine];
if (!onMachine) refuseCommandLine(usage, `There is no machine ${values.machine}`);

const { quick, apart } = values;
const context = createBenchContext({ quick, apart, rates, operations, onMachine });
let stopping: Promise<void> | undefined;
const stop = () => (stopping ??= context.stop());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(130)));
}
const measured: BenchSection[] = [];
try {
  for (const name of chosen) {
    for await (const section of (await sections[name]?.(context)) ?? []) {
      measured.push(section);
      if (!values.json) process.stdout.write(renderSection(section));
    }
  }
} finally {
  await stop();
}
if (values.json) {
  const machine = { cpus: availableParallelism(), node: process.version, rounds: context.rounds };
  process.stdout.write(`${JSON.stringify({ machine, sections: measured }, null, 2)}\n`);
}
process.exit(0);
