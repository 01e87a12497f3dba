import { ConfigError } from '#shared/config/load.ts';
import { runCommand } from './cli/commands.ts';

/** `npm run projections -- status | compare | rebuild [name]` (contract §1). Exits 1 when it can't, or finds a difference. */
try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigError || error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}
