import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createTally } from './tally.ts';
import type { Outcome } from './run.ts';
import type { Share } from './worker.ts';

/** `npm run simulate`: schedules from one seed on, for so long; or one of them again, with all that it shows. */
const usage =
  'usage: npm run simulate -- [--minutes N | --seconds N | --schedules N] [--seed N] [--workers N]\n';
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    schedules: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
  },
});
const wantedMs = Number(values.minutes ?? 0) * 60_000 + Number(values.seconds ?? 0) * 1_000;
/** A seed alone asks for its schedule, and for all that it shows. */
const replay = values.seed !== undefined && values.schedules === undefined && wantedMs === 0;
const schedules = Number(values.schedules ?? (wantedMs > 0 ? Number.MAX_SAFE_INTEGER : replay ? 1 : 1_000));
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const workers = Math.min(schedules, Number(values.workers ?? availableParallelism()));
if (![wantedMs, schedules, firstSeed, workers].every((number) => Number.isFinite(number) && number >= 0)) {
  process.stderr.write(usage);
  process.exit(2);
}

const tally = createTally();
const take = (outcome: Outcome) => {
  tally.add(outcome);
  if (outcome.findings.length === 0) return;
  const what = [...new Set(outcome.findings.map((finding) => finding.what))].join('; ');
  process.stdout.write(`seed ${outcome.seed}: ${what}\n`);
  if (replay) process.stdout.write(`${JSON.stringify(outcome.findings, null, 2)}\n`);
};

const running = Array.from({ length: workers }, (_, index) => {
  const share: Share = {
    firstSeed: firstSeed + index,
    stride: workers,
    count: Math.ceil((schedules - index) / workers),
  };
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: share });
  worker.on('message', take);
  return worker;
});
const ended = Promise.all(
  running.map(
    (worker) =>
      new Promise<void>((resolve, reject) => {
        worker.once('error', reject);
        worker.once('exit', () => resolve());
      }),
  ),
);
const progress = process.stderr.isTTY
  ? setInterval(() => process.stderr.write(`\r${tally.line()}\x1b[K`), 1_000)
  : undefined;
if (wantedMs > 0) setTimeout(() => running.forEach((worker) => void worker.terminate()), wantedMs);
await ended;
clearInterval(progress);
if (progress) process.stderr.write('\r\x1b[K');
process.stdout.write(tally.summary());
process.exit(tally.failed().length === 0 ? 0 : 1);
