import { randomInt } from 'node:crypto';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { faultName, usualPaceMs } from './faults/plan.ts';
import { renderChaosReport } from './report.ts';
import { runChaos } from './run.ts';
import { runWebhookCrashes } from './webhooks/run.ts';

/**
 * `npm run verify -- chaos`: runs a whole stack under load and seeded faults, and verifies its
 * answers. `npm run verify -- chaos webhooks`: only the path of webhooks, one fault at a time.
 */
if (process.argv[2] === 'webhooks') process.exit(await runWebhookCrashes(process.argv.slice(3)));
const usage = `usage: npm run verify -- chaos [--minutes N | --seconds N] [--seed N] [--instances N]
                              [--pace SECONDS] [--verbose]
       npm run verify -- chaos webhooks --help

Loads and breaks a whole stack, then verifies everything that it answered (docs/developers/chaos.md).

  --minutes, --seconds  duration of load and faults; default one minute
  --seed <number>       repeats the faults and the load of a run
  --instances <1 to 4>  processes of each service
  --pace <seconds>      time between two faults
  --verbose             prints each fault with its time
`;
const { values } = readCommandLine(usage, {
  options: {
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    instances: { type: 'string', default: '1' },
    pace: { type: 'string', default: String(usualPaceMs / 1_000) },
    verbose: { type: 'boolean', default: false },
  },
});
const wantedMs = Number(values.minutes ?? 0) * 60_000 + Number(values.seconds ?? 0) * 1_000;
const forMs = wantedMs > 0 ? wantedMs : 60_000;
const seed = Number(values.seed ?? randomInt(2 ** 31));
const instances = Number(values.instances);
const paceMs = Number(values.pace) * 1_000;
const valid = Number.isFinite(forMs) && Number.isSafeInteger(seed) && seed >= 0;
if (!valid) refuseCommandLine(usage, '--minutes, --seconds and --seed take numbers, 0 or more');
if (!(instances >= 1 && instances <= 4)) refuseCommandLine(usage, '--instances takes 1 to 4');
if (!(paceMs >= 100)) refuseCommandLine(usage, '--pace takes seconds, 0.1 or more');
process.stdout.write(`seed ${seed}, ${forMs / 1000} s of load and faults\n`);
const result = await runChaos({
  seed,
  forMs,
  instances,
  paceMs,
  onStep: (what) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`),
  ...(values.verbose && {
    onFault: (fault) =>
      process.stdout.write(
        `${new Date().toISOString().slice(11, 23)} ${faultName(fault)} ${JSON.stringify(fault)}\n`,
      ),
  }),
});
process.stdout.write(`\n${renderChaosReport(result)}`);
if (result.findings.length > 0) {
  process.stdout.write(
    `\nwhat the processes logged last:\n${result.complaints.newest.join('\n')}\n`,
  );
  process.stdout.write(
    `\nagain: npm run verify -- chaos --seconds ${forMs / 1000} --seed ${seed} ` +
      `--instances ${instances} --pace ${values.pace}\n`,
  );
}
process.exit(result.findings.length === 0 ? 0 : 1);
