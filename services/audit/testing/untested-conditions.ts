import { readFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/**
 * Prints, as JSON, each place in the audit's code where a violation is reported that no corruption
 * reaches. Node runs a TypeScript file with its types blanked out, so the offsets of its coverage
 * are those of the file; under a test runner they are not. That is why this is a program.
 */

const judges = /\/services\/audit\/(?:authority|log|money)\/.*\.ts$/;
/** A range of code that reports a violation, or returns what is wrong. */
const reporting = /\$\{|flag\w*\(|report\(|(?:return|[?:]|&&)\s+'[a-z]+ [a-z]/;
/** Text of other kinds, which have tests of their own: webhooks, bugs, notes and the root above. */
const other = [
  /^function expected\w*Message\(/,
  /^throw new Error\(/,
  /are older than the ids of keys and tokens/,
  /signatures were not verified/,
  /exceeded the daily limit of their route because/,
  /^\? ` and \$\{more\} more`/,
  // Every setting of today has the same role; see add-setting.slow.test.ts.
  /changed with a role that may not/,
  // See stated.test.ts.
  /kind: 'rates of conversions'/,
  /routes were skipped \$\{reasons/,
  /named\.push\(`\$\{subject\} at/,
  /somebody with access to the store/,
  // See trees.test.ts.
  /it was signed so late that the root/,
];

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const { auditLog } = await import('./audit-log.ts');
const { corruptions, writeLog } = await import('./corruptions/index.ts');
const { auditorKeys } = await import('./stored-reports.ts');
for (const { corruption } of corruptions)
  await auditLog(writeLog(corruption), { reportKeys: auditorKeys });
const { result } = await session.post('Profiler.takePreciseCoverage');
const judged = result.filter(({ url }) => judges.test(url));
if (judged.length === 0) throw new Error('no coverage of the audit');
process.stdout.write(JSON.stringify(judged.flatMap(untestedIn)));

function untestedIn({ url, functions }: Profiler.ScriptCoverage): string[] {
  const source = readFileSync(fileURLToPath(url), 'utf8');
  return functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ count }) => count === 0)
    .map(({ startOffset, endOffset }) => source.slice(startOffset, endOffset).trim())
    .filter((text) => reporting.test(text) && !other.some((kind) => kind.test(text)))
    .map((text) => `${url.split('/services/audit/')[1]}: ${text.replaceAll(/\s+/g, ' ')}`);
}
