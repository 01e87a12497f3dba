import { resolve } from 'node:path';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { optionTypes, readOptions, usage } from './options.ts';
import { verdictsOf } from './report/verdicts.ts';
import { writeReport } from './report/write.ts';
import { runCapacity } from './run.ts';

/**
 * `npm run lab -- capacity`: measures how much a whole stack on this machine carries, and whether
 * it carries half of that for long.
 */
const options = readOptions(readCommandLine(usage, { options: optionTypes }).values);
if (options === undefined) refuseCommandLine(usage, 'A number is none, or out of its bounds');
const say = (line: string) =>
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
say(`seed ${options.seed}`);
const result = await runCapacity(options, say);
const report = writeReport(result, resolve(options.out));
process.stdout.write(`\n${verdictsOf(result).join('\n')}\n\n${report}\n`);
process.exit(result.rest.findings.length === 0 ? 0 : 1);
