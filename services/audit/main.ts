import { runAudit } from './cli/run.ts';

/** `npm run audit`. */
// Interrupted, it leaves nothing in the temporary folder: what ends with the process is removed
// then.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
const code = await runAudit(process.argv.slice(2));
// A store that went away in the middle may hold a connection open: what is to be said has been
// said.
process.stdout.write('', () => process.exit(code));
