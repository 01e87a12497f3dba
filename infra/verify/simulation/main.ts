import { availableParallelism } from 'node:os';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import type { Outcome } from './run.ts';
import { createTally } from './tally.ts';
import { startWorkers } from './workers.ts';

/**
 * `npm run simulate`: schedules from one seed on, for so long; or one of them again, with all that
 * it shows.
 */
const usage = `usage: npm run simulate -- [--minutes N | --seconds N | --schedules N] [--seed N] [--workers N] [--until-found]

Plays random schedules with faults in one process, and holds each to the rules (docs/developers/simulation.md).

  --minutes, --seconds  how long
  --schedules <number>  how many; 1,000 unless a time is given
  --seed <number>       the first schedule; alone: this one schedule again, with all that it shows
  --workers <number>    threads; one a processor unless given
  --until-found         stops at the first schedule that breaks a rule
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
/** A seed alone asks for its schedule, and for all that it shows. */
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

const tally = createTally();
const fail = (seed: number, what: string) => {
  process.stdout.write(`seed ${seed}: ${what}\n`);
  if (values['until-found']) workers.stop();
};
const workers = startWorkers({
  firstSeed,
  schedules,
  count,
  take: (outcome: Outcome) => {
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
// When it is interrupted, it prints how far it came.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, workers.stop);
if (wantedMs > 0) setTimeout(workers.stop, wantedMs).unref();
await workers.ended;
clearInterval(progress);
if (progress) process.stderr.write('\r\x1b[K');
process.stdout.write(tally.summary());
process.exit(tally.failed().length === 0 ? 0 : 1);
