import { fileURLToPath } from 'node:url';
import { askForAdvisories, grave } from './advisories.ts';

// npm run advisories: fails upon a grave one, and says so plainly where the registry could not be asked.
const advice = askForAdvisories(fileURLToPath(new URL('../../..', import.meta.url)));
if (advice.outcome === 'unknown') {
  process.stdout.write(
    `The registry was not asked for advisories (${advice.reason}): NOTHING IS KNOWN of the dependencies.\n`,
  );
} else {
  for (const { name, severity, title } of advice.advisories)
    process.stdout.write(`${name}: ${severity}: ${title}\n`);
  process.stdout.write(
    `${advice.advisories.length} dependencies with advisories, ${grave(advice.advisories).length} of them grave\n`,
  );
  if (grave(advice.advisories).length > 0) process.exitCode = 1;
}
