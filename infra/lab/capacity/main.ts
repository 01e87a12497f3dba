import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { optionTypes, readCapacityOptions, capacityUsage } from './options.ts';
import { verdictLines } from './report/verdicts.ts';
import { renderCapacityReport } from './report/markdown.ts';
import { runCapacity } from './run.ts';

/**
 * `npm run lab -- capacity`: measures how much a whole stack on this machine carries, and whether
 * it carries half of that for long.
 */
const options = readCapacityOptions(
  readCommandLine(capacityUsage, { options: optionTypes }).values,
);
if (options === undefined)
  refuseCommandLine(capacityUsage, 'A number is none, or out of its bounds');
const print = (line: string) =>
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
print(`seed ${options.seed}`);
const result = await runCapacity(options, print);
const out = resolve(options.out);
const report = join(out, 'report.md');
writeFileSync(report, `# Capacity run\n\n${renderCapacityReport(result)}`);
const { samples, ...summary } = result;
const soak = summary.soak && { ...summary.soak, samples: undefined };
writeFileSync(join(out, 'samples.json'), `${JSON.stringify(samples)}\n`);
writeFileSync(join(out, 'result.json'), `${JSON.stringify({ ...summary, soak }, null, 2)}\n`);
process.stdout.write(`\n${verdictLines(result).join('\n')}\n\n${report}\n`);
process.exit(result.rest.findings.length === 0 ? 0 : 1);
