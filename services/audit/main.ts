import { runAudit } from './cli/run.ts';

// Exits on an interrupt, so that the exit handlers empty the temporary folder.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
const code = await runAudit(process.argv.slice(2));
// A store that disconnected may leave a connection open: exit once all output is written.
process.stdout.write('', () => process.exit(code));
