import { runCommand } from './cli/commands.ts';

/**
 * `npm run projections -- status | compare | rebuild [name]`. Exits with 1 on a failure or a
 * difference.
 */
try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  // PostgreSQL's detail names the obstacle, such as a view on a table that is to be replaced.
  const { message, detail } = error as Error & { detail?: string };
  process.stderr.write(`${detail === undefined ? message : `${message}\n${detail}`}\n`);
  process.exitCode = 1;
}
