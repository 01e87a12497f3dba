import { parseArgs } from 'node:util';
import { scheduledActor } from '#shared/domain/audit/events.ts';
import { languages, type Language } from '#shared/platform/pages/index.ts';

export const auditUsage = `usage: npm run audit -- [options]

Reads the whole log, and checks it and everything computed from it (docs/analysts/audit.md). It changes
nothing, except with --record and --scheduled, and the gateway may run. Temporary files: 1.6 kilobytes for
each event of the log, in TMPDIR.
Exits with 0 if every rule holds, 1 if one is violated, 2 for invalid options, and 3 if
it could not audit everything.

  --json               one JSON document, and nothing else, on stdout: npm run -s audit -- --json
  --shop <shop_id>     the ledgers of one shop
  --at <time>          the log as of that time (RFC 3339), without read models
  --log-only           only the log, without PostgreSQL
  --without-receipts   without the files of uploaded receipts, as in a copy that has none
  --checkpoint <file>  writes a signed checkpoint of the log up to the audited position
  --since <file>       verifies a checkpoint, and that the log before it is unchanged
  --checkpoints <dir>  both: verifies the newest checkpoint of the folder, and writes the next one there
  --expect <hash>      requires that the checkpoint with that hash is among these
  --report <file>      writes a report as one printable HTML file
  --findings <file>    writes the findings as CSV
  --language <en|ru>   the language of --report and --findings
  --record <name>      records the run in the log, by auditor:<name>
  --scheduled          records it as a scheduled audit
  --pace <number>      the most events to read per second
  --quiet              no progress on stderr: else in place on a terminal, or a line a minute
  --public-key <file>  the key that the old checkpoint must be signed with (PEM); else that of DATA_DIR

The stores: EVENT_STORE_URL and DATABASE_URL, otherwise those of the gateway running on DATA_DIR, otherwise its data.
`;

export type AuditArguments = {
  json: boolean;
  shopId?: string | undefined;
  atMs?: number | undefined;
  logOnly: boolean;
  /** Does not compare the files of uploaded receipts. */
  withoutReceipts?: true;
  checkpointFile?: string | undefined;
  sinceFile?: string | undefined;
  /** Instead of the two: the folder with the newest checkpoint, where the next one is written. */
  checkpointFolder?: string | undefined;
  publicKeyFile?: string | undefined;
  /** The hash of a checkpoint that must be there. */
  expect?: string | undefined;
  reportFile?: string | undefined;
  findingsFile?: string | undefined;
  language: Language;
  /** The actor name to record the run under. */
  recordAs?: string | undefined;
  /** The most events to read per second. */
  pace?: number | undefined;
  /** Shows no progress. */
  quiet: boolean;
};

/** RFC 3339, with its offset. */
const time = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** The name of a person or program. */
const auditorName = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  json: flag,
  shop: text,
  at: text,
  'log-only': flag,
  'without-receipts': flag,
  checkpoint: text,
  since: text,
  checkpoints: text,
  'public-key': text,
  expect: text,
  report: text,
  findings: text,
  language: text,
  record: text,
  scheduled: flag,
  pace: text,
  quiet: flag,
  help: flag,
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** The parsed options; or `help`; or `problem`: one line that says which option is wrong. */
export function readAuditArguments(
  argv: readonly string[],
): AuditArguments | { help: true } | { problem: string } {
  let values: Values;
  try {
    ({ values } = parseArgs({ args: [...argv], options }));
  } catch (error) {
    return { problem: (error as Error).message };
  }
  if (values.help) return { help: true };
  const problem = findProblem(values);
  if (problem !== undefined) return { problem };
  const { at, language = 'en', record, pace } = values;
  return {
    json: values.json,
    logOnly: values['log-only'],
    ...(values['without-receipts'] && { withoutReceipts: true }),
    shopId: values.shop,
    atMs: at === undefined ? undefined : Date.parse(at),
    checkpointFile: values.checkpoint,
    sinceFile: values.since,
    checkpointFolder: values.checkpoints,
    publicKeyFile: values['public-key'],
    expect: values.expect,
    reportFile: values.report,
    findingsFile: values.findings,
    language: language as Language,
    recordAs: values.scheduled ? scheduledActor : record && `auditor:${record}`,
    pace: pace === undefined ? undefined : Number(pace),
    quiet: values.quiet,
  };
}

function findProblem(values: Values): string | undefined {
  const { shop, at, checkpoint, since, checkpoints, expect, report, findings } = values;
  const { language, record, scheduled, pace } = values;
  const verifies = since !== undefined || checkpoints !== undefined;
  const empty = Object.entries(values).find(([, value]) => value === '');
  if (empty) return `--${empty[0]} needs a value`;
  if (shop !== undefined && !isUuid.test(shop)) return `--shop takes the id of a shop, not ${shop}`;
  if (checkpoints !== undefined && (checkpoint !== undefined || since !== undefined))
    return '--checkpoints finds the files of --since and --checkpoint itself';
  if (values['public-key'] !== undefined && !verifies)
    return '--public-key needs --since or --checkpoints: it is the key that must have signed them';
  if (expect !== undefined && !verifies)
    return '--expect needs --since or --checkpoints: it must be the hash of one of those';
  if (expect !== undefined && !/^[0-9a-f]{64}$/.test(expect))
    return '--expect takes the hash of a checkpoint: 64 digits and letters a to f';
  if (language !== undefined && !(languages as readonly string[]).includes(language))
    return `--language takes ${languages.join(' or ')}, not ${language}`;
  if (language !== undefined && report === undefined && findings === undefined)
    return '--language needs --report or --findings';
  if (record !== undefined && !auditorName.test(record))
    return '--record takes a name: at most 64 letters, digits, spaces and . _ @ -';
  if (record !== undefined && scheduled) return 'a run is either --scheduled or recorded by name';
  if (at !== undefined && (record !== undefined || scheduled))
    return '--record and --scheduled can’t be combined with --at';
  if (pace !== undefined && !/^[1-9]\d{0,6}$/.test(pace)) return '--pace takes events a second';
  if (at !== undefined && !(time.test(at) && Number.isFinite(Date.parse(at))))
    return `--at takes an RFC 3339 time such as 2026-01-31T12:00:00Z, not ${at}`;
  return undefined;
}
