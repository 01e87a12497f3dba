import { ConfigError } from '#shared/platform/config/load.ts';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { parseConnectionString } from '#shared/platform/event-store/connection-string.ts';

const usage = `usage: npm run move -- --to <connection string> [--finish | --reopen]

Copies the log of the gateway into an empty event store, and follows it until Ctrl-C
(docs/operators/growing.md). The gateway works on with its own store, which does not change. Run it again
to continue: the progress is in the target.

  --to <connection string>  the target, such as esdb://db-1:2113,db-2:2113,db-3:2113
  --finish                  moves the gateway: copies what is left, compares everything, closes the old log
                            for good, and prints what to set before the gateway is restarted.
                            From the closing until that restart the gateway takes no payments
  --reopen                  gives up a --finish that was killed: the old log takes appends again

The source: EVENT_STORE_URL, otherwise the store of the gateway running on DATA_DIR, otherwise its data.
Exits with 0 when it is done, 1 if it failed, 2 for invalid options, and 3 if the target holds
anything else than a copy.
`;

export type MoveArguments = { to: string; finish: boolean; reopen: boolean };

/** Ends the program with 2 if they are wrong. */
export function readMoveArguments(args: readonly string[]): MoveArguments {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = readCommandLine(usage, {
    args: [...args],
    options: { to: { type: 'string' }, finish: flag, reopen: flag },
  });
  const { to, finish, reopen } = values;
  if (finish && reopen) return refuseCommandLine(usage, '--finish and --reopen exclude each other');
  if (to === undefined) return refuseCommandLine(usage, '--to names the target');
  try {
    parseConnectionString(to, '--to');
  } catch (error) {
    if (error instanceof ConfigError) return refuseCommandLine(usage, error.problems.join());
    throw error;
  }
  return { to, finish, reopen };
}
