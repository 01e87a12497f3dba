import { runAudit } from './cli/run.ts';

/** `npm run audit` (contract §8). */
const code = await runAudit(process.argv.slice(2));
// A store that went away in the middle may hold a connection open: what is to be said has been said.
process.stdout.write('', () => process.exit(code));
