import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { ConfigError } from '#shared/platform/config/load.ts';
import { parseConnectionString } from '#shared/platform/event-store/connection-string.ts';
import { readPlace } from '#infra/backup/arguments.ts';
import type { BackupPlace } from '#infra/backup/open-store.ts';
import { hostsAndDatabase } from '#infra/stores/stores-file.ts';

const usage = `usage: npm run restore -- --from <folder or s3://bucket/prefix> --into <DATA_DIR or connection string>
       npm run restore -- --from <folder or s3://bucket/prefix> --drill

Verifies a copy that npm run backup has made, and restores it (docs/operators/recovery.md).

  --from <target>         the target of the backup
  --into <target>         a DATA_DIR without a log, or the connection string of an empty event store, whose
                          password may come from EVENT_STORE_TARGET_URL
  --until <time>          the log as of that time (RFC 3339), but without keys that were destroyed later
  --drill                 restores into a temporary folder, audits it, compares webhooks, and removes it
  --checkpoint <file>     a signed checkpoint of the log (npm run audit): prints what the copy lacks of it
  --public-key <file>     the key that the checkpoint must be signed with (PEM); else that of AUDIT_SIGNING_KEY or
                          DATA_DIR; without any it proves only what its own key, whose fingerprint is printed, proves
  --report <file>         with --drill: writes its report as JSON

Exits with 0 when it is done, 1 if it failed or something differs, 2 for invalid options, and 3 if the target is
not empty.
`;

export type RestoreArguments = {
  from: BackupPlace;
  into: { dataDir: string } | { url: string } | undefined;
  untilMs: number | undefined;
  report: string | undefined;
  checkpoint: string | undefined;
  publicKey: string | undefined;
};

/** RFC 3339, with its offset. */
const time = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const text = { type: 'string' } as const;

/** Ends the program with 2 if they are wrong. */
export function readRestoreArguments(args: readonly string[]): RestoreArguments {
  const { values } = readCommandLine(usage, {
    args: [...args],
    options: {
      from: text,
      into: text,
      until: text,
      report: text,
      checkpoint: text,
      'public-key': text,
      drill: { type: 'boolean', default: false },
    },
  });
  const { into, until, report, drill, checkpoint, 'public-key': publicKey } = values;
  if (drill && into !== undefined)
    return refuseCommandLine(usage, '--drill restores into a folder of its own: leave out --into');
  if (!drill && !into) return refuseCommandLine(usage, '--into names a DATA_DIR or an event store');
  if (report !== undefined && !drill) return refuseCommandLine(usage, '--report needs --drill');
  if (publicKey !== undefined && checkpoint === undefined)
    return refuseCommandLine(usage, '--public-key needs --checkpoint');
  if (until !== undefined && !(time.test(until) && Number.isFinite(Date.parse(until))))
    return refuseCommandLine(
      usage,
      `--until takes a time such as 2026-01-31T12:00:00Z, not ${until}`,
    );
  return {
    from: readPlace(usage, '--from', values.from),
    into: into === undefined ? undefined : readTarget(into),
    untilMs: until === undefined ? undefined : Date.parse(until),
    report,
    checkpoint,
    publicKey,
  };
}

function readTarget(into: string): RestoreArguments['into'] {
  if (!/^[a-z][a-z0-9+]*:\/\//i.test(into)) return { dataDir: into };
  const withPassword = process.env['EVENT_STORE_TARGET_URL'] ?? '';
  const url = hostsAndDatabase(withPassword) === hostsAndDatabase(into) ? withPassword : into;
  try {
    parseConnectionString(url, '--into');
  } catch (error) {
    if (error instanceof ConfigError) return refuseCommandLine(usage, error.problems.join());
    throw error;
  }
  return { url };
}
