import { fileURLToPath } from 'node:url';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { askForAdvisories, grave } from './advisories.ts';

const usage = `usage: npm run advisories

Queries the registry for known vulnerabilities of the dependencies. Exits with 1 if one is serious. If the
registry does not answer, it reports that and exits with 0.
`;
readCommandLine(usage, {});
const advice = askForAdvisories(fileURLToPath(new URL('../../..', import.meta.url)));
if (advice.outcome === 'unknown') {
  process.stdout.write(
    `The registry was not queried for advisories (${advice.reason}): NOTHING IS KNOWN of the dependencies.\n`,
  );
} else {
  for (const { name, severity, title } of advice.advisories)
    process.stdout.write(`${name}: ${severity}: ${title}\n`);
  process.stdout.write(
    `${advice.advisories.length} dependencies with advisories, ${grave(advice.advisories).length} of them grave\n`,
  );
  if (grave(advice.advisories).length > 0) process.exitCode = 1;
}
