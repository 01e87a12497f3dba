import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { ConfigError } from '#shared/platform/config/load.ts';
import { findBackupPlace, type BackupPlace } from './open-store.ts';

const usage = `usage: npm run backup -- --to <folder or s3://bucket/prefix> [--once]

Copies the log of the running gateway, and follows it until Ctrl-C (docs/operators/recovery.md). Run it again to
continue: the progress is in the target.

  --to <target>  a folder, or s3://<bucket>/<prefix> with S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and
                 S3_SECRET_ACCESS_KEY
  --once         ends with what was in the log when it began

BACKUP_PORT: the port of its metrics and probes while it follows the log.
The log: EVENT_STORE_URL, otherwise the store of the gateway running on DATA_DIR; with --once also its data.
Exits with 0 when it is done, 1 if it failed, 2 for invalid options, 3 if another backup writes to the target, or
the target holds anything else than a copy of this log or has no conditional writes, 4 if the copy is damaged, and
130 or 143 if a signal ended --once before.
`;

export type BackupArguments = { to: BackupPlace; once: boolean };

/** Ends the program with 2 if they are wrong. */
export function readBackupArguments(args: readonly string[]): BackupArguments {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = readCommandLine(usage, {
    args: [...args],
    options: { to: { type: 'string' }, once: flag },
  });
  const { to, once } = values;
  return { to: readPlace(usage, '--to', to), once };
}

/** Ends the program with 2 if it is no target. */
export function readPlace(text: string, option: string, value: string | undefined): BackupPlace {
  if (value === undefined || value === '')
    return refuseCommandLine(text, `${option} names a folder or s3://<bucket>/<prefix>`);
  try {
    return findBackupPlace(value);
  } catch (error) {
    if (error instanceof ConfigError)
      return refuseCommandLine(text, `${option}: ${error.problems.join('; ')}`);
    throw error;
  }
}
