import { readBackupArguments } from './arguments.ts';
import { runBackup } from './run.ts';

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => (stopped.signal.aborted ? process.exit(130) : stopped.abort(signal)));
const code = await runBackup(readBackupArguments(process.argv.slice(2)), stopped.signal);
// A store that is gone may leave a connection open: exit once all output is written.
process.stdout.write('', () => process.exit(code));
