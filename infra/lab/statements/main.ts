import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { isAsPlanned, renderDay } from './report.ts';
import { runDay } from './run.ts';

/**
 * `npm run lab -- statements`: a day of operations, statements with planted differences, and what
 * is found of them.
 */
const usage = `usage: npm run lab -- statements [--operations N] [--seed N] [--share 0.01] [--json]

Makes a day of operations and statements of it with planted differences; each must be found
(docs/measurements/statements.md).

  --operations <number>  how many; 100,000 unless given
  --seed <number>        another day
  --share <0 to 0.5>     how many lines of a statement are wrong; 0.01 unless given
  --json                 the result as JSON
`;
const { values } = readCommandLine(usage, {
  options: {
    operations: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '0.01' },
    json: { type: 'boolean', default: false },
  },
});
const [operations, seed, share] = [values.operations, values.seed, values.share].map(Number) as [
  number,
  number,
  number,
];
if (!(operations >= 1 && seed >= 0 && share >= 0 && share <= 0.5))
  refuseCommandLine(usage, '--operations takes 1 or more, --seed 0 or more, --share 0 to 0.5');
const result = await runDay({
  operations,
  seed,
  share,
  say: (line) => process.stderr.write(`${line}\n`),
});
process.stdout.write(values.json ? `${JSON.stringify(result, null, 2)}\n` : renderDay(result));
process.exit(isAsPlanned(result) ? 0 : 1);
