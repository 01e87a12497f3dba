import { runCommand } from './cli/commands.ts';

/**
 * `npm run projections -- status | compare | rebuild [name]`. Exits 1 when it can't, or finds a
 * difference.
 */
try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  // PostgreSQL says in its detail what stands in the way, such as a view on a table that is to be
  // replaced.
  const { message, detail } = error as Error & { detail?: string };
  process.stderr.write(`${detail === undefined ? message : `${message}\n${detail}`}\n`);
  process.exitCode = 1;
}
