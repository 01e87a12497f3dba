import { availableParallelism } from 'node:os';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import type { SimulationOutcome } from './run.ts';
import { createScheduleTally } from './tally.ts';
import { startWorkers } from './workers.ts';

/**
 * `npm run simulate`: runs schedules from a seed on for some time, or one of them again with
 * details.
 */
const usage = `usage: npm run simulate -- [--minutes N | --seconds N | --schedules N] [--seed N] [--workers N] [--until-found]

Runs random schedules with faults in one process, and checks each against the rules (docs/developers/simulation.md).

  --minutes, --seconds  duration
  --schedules <number>  number of schedules; default 1,000 unless a duration is given
  --seed <number>       the first schedule; alone: runs only this schedule, with details
  --workers <number>    threads; default one for each CPU
  --until-found         stop at the first schedule that breaks a rule
`;
const { values } = readCommandLine(usage, {
  options: {
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    schedules: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    'until-found': { type: 'boolean' },
  },
});
const wantedMs = Number(values.minutes ?? 0) * 60_000 + Number(values.seconds ?? 0) * 1_000;
/** A seed alone runs its schedule with details. */
const replay = values.seed !== undefined && values.schedules === undefined && wantedMs === 0;
const schedules = Number(
  values.schedules ?? (wantedMs > 0 ? Number.MAX_SAFE_INTEGER : replay ? 1 : 1_000),
);
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const count = Number(values.workers ?? availableParallelism());
if (
  ![wantedMs, schedules, firstSeed, count].every((number) => Number.isFinite(number) && number >= 0)
)
  refuseCommandLine(usage, 'Each N is a number, 0 or more');

const tally = createScheduleTally();
const fail = (seed: number, what: string) => {
  process.stdout.write(`seed ${seed}: ${what}\n`);
  if (values['until-found']) workers.stop();
};
const workers = startWorkers({
  firstSeed,
  schedules,
  count,
  take: (outcome: SimulationOutcome) => {
    tally.add(outcome);
    if (outcome.findings.length === 0) return;
    fail(outcome.seed, [...new Set(outcome.findings.map((finding) => finding.what))].join('; '));
    if (replay) process.stdout.write(`${JSON.stringify(outcome.findings, null, 2)}\n`);
  },
  broke: (seed, why) => {
    tally.broke(seed);
    fail(seed, `the worker broke: ${why}`);
  },
});
const progress = process.stderr.isTTY
  ? setInterval(() => process.stderr.write(`\r${tally.line()}\x1b[K`), 1_000)
  : undefined;
// An interrupt prints the progress.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, workers.stop);
if (wantedMs > 0) setTimeout(workers.stop, wantedMs).unref();
await workers.ended;
clearInterval(progress);
if (progress) process.stderr.write('\r\x1b[K');
process.stdout.write(tally.summary());
process.exit(tally.failed().length === 0 ? 0 : 1);
