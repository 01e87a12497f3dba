import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';

const usage = `usage: npm run move -- --to <connection string> [--finish | --reopen]

Copies the log of the running gateway into an empty event store, and follows it until Ctrl-C
(docs/operators/growing.md). Run it again to continue: the progress is in the target.

  --to <connection string>  the target, such as esdb://db-1:2113,db-2:2113,db-3:2113
  --finish                  stops new appends, copies the rest, verifies, and prints what to set
  --reopen                  allows appends again after a --finish that was killed

The source: EVENT_STORE_URL, otherwise the store of the gateway running on DATA_DIR, otherwise its data.
Exits with 0 when it is done, 1 if it failed, 2 for invalid options, and 3 if the target holds
anything else than a copy.
`;

export type Arguments = { to: string; finish: boolean; reopen: boolean };

/** Ends the program with 2 if they are wrong. */
export function readArguments(args: readonly string[]): Arguments {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = readCommandLine(usage, {
    args: [...args],
    options: { to: { type: 'string' }, finish: flag, reopen: flag },
  });
  const { to, finish, reopen } = values;
  if (finish && reopen) return refuseCommandLine(usage, '--finish and --reopen exclude each other');
  if (to === undefined) return refuseCommandLine(usage, '--to names the target');
  if (!/^(?:esdb|kurrentdb|kdb)(?:\+discover)?:\/\/\S+$/.test(to))
    return refuseCommandLine(usage, `--to takes a connection string such as esdb://db-1:2113`);
  return { to: to.replace(/^(?:kurrentdb|kdb)/, 'esdb'), finish, reopen };
}
