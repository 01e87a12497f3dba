import { findLogKeys, findSigner } from '#infra/stores/log-keys.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import { createTerminalProgress } from '#shared/platform/progress.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import { audit } from '../audit.ts';
import { seriesIn } from '../log/chain/series.ts';
import { createPatientLog } from '../log/patient-log.ts';
import { createFindings, type AuditFinding, type Findings } from '../report/findings/findings.ts';
import { isCompleteAudit } from '../report/audit-summary.ts';
import type { AuditRun } from '../report/run.ts';
import { readAuditArguments, auditUsage, type AuditArguments } from './arguments.ts';
import { holdCheckpoints, type KeySettings } from './checkpoints.ts';
import { writeReport, writeFailure } from './write-report.ts';
import { recordAudit } from '#shared/application/audits/record-audit.ts';
import { failedEvent, ranEvent } from './record.ts';
import { readReportKeys } from './callback-keys.ts';
import { renderJson, renderText } from './render.ts';
import { connectAuditStores, type AuditedStores } from './stores.ts';

/** Runs one audit as the command line asks. @returns the exit code */
export async function runAudit(argv: readonly string[]): Promise<number> {
  const args = readAuditArguments(argv);
  if ('help' in args) {
    process.stdout.write(auditUsage);
    return 0;
  }
  if ('problem' in args) {
    process.stderr.write(`${args.problem}\n\n${auditUsage}`);
    return 2;
  }
  const startedAt = new Date();
  try {
    return await auditOnce(args, startedAt);
  } catch (error) {
    const reason = errorMessage(error);
    process.stderr.write(`The audit failed: ${reason}\n`);
    try {
      writeFailure(args, { startedAt, reason });
    } catch (unwritten) {
      process.stderr.write(`${errorMessage(unwritten)}\n`);
    }
    return 3;
  }
}

async function auditOnce(parsed: AuditArguments, startedAt: Date): Promise<number> {
  const settings = loadConfig(['DATA_DIR', 'AUDIT_SIGNING_KEY']);
  const folder = parsed.checkpointFolder;
  const logKeys = findLogKeys(settings.DATA_DIR);
  const connected = await connectAuditStores(parsed);
  try {
    const args = folder === undefined ? parsed : { ...parsed, ...seriesIn(folder, startedAt) };
    const stores = args.recordAs === undefined ? connected : await signing(connected, logKeys);
    return await recorded(args, startedAt, stores, () =>
      auditStores(args, { startedAt, settings, stores, logKeys }),
    );
  } finally {
    await connected.close();
  }
}

/** What it records is signed, if the log is. @throws ConfigError without a key for that */
async function signing(
  stores: AuditedStores,
  keys: readonly LogKey[] | undefined,
): Promise<AuditedStores> {
  const signer = await findSigner(stores.log, { program: 'audit', keys });
  return signer ? { ...stores, store: signAppends(stores.store, signer) } : stores;
}

/** If runs are recorded, a failed one is recorded too, if the log accepts it. */
async function recorded(
  { recordAs }: AuditArguments,
  startedAt: Date,
  { store }: AuditedStores,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (recordAs !== undefined)
      await recordAudit(store, failedEvent(startedAt, errorMessage(error)), recordAs).catch(
        (unrecorded: unknown) => process.stderr.write(`${errorMessage(unrecorded)}\n`),
      );
    throw error;
  }
}

async function auditStores(
  args: AuditArguments,
  {
    startedAt,
    settings,
    stores,
    logKeys,
  }: {
    startedAt: Date;
    settings: KeySettings;
    stores: AuditedStores;
    logKeys: readonly LogKey[] | undefined;
  },
): Promise<number> {
  const progress = createTerminalProgress();
  const onTrouble = (error: unknown) => {
    progress.clear();
    process.stderr.write(`${errorMessage(error)}: trying again …\n`);
  };
  const findings = createFindingsPrinter(args, progress);
  const held = holdCheckpoints(args, settings, findings);
  const reportKeys = readReportKeys();
  const { outside, receipts } = stores;
  const log = createPatientLog(stores.log, { onTrouble });
  try {
    const result = await audit({
      log,
      findings,
      outside,
      receipts,
      withoutReceipts: args.withoutReceipts,
      shopId: args.shopId,
      atMs: args.atMs,
      since: held.since,
      earlier: held.earlier,
      reportKeys,
      logKeys,
      pace: args.pace,
      ...(!args.quiet && {
        onProgress: progress.update,
        onCompare: () =>
          progress.note('The log is read. Comparing read models and webhooks with it …'),
      }),
    });
    progress.clear();
    result.notes.unshift(...held.notes);
    const checkpoints = held.close(result);
    const seconds = (Date.now() - startedAt.getTime()) / 1_000;
    const timing = { seconds, peakBytes: process.resourceUsage().maxRSS * 1_024 };
    const run: AuditRun = {
      startedAt,
      timing,
      log: await stores.identity(),
      result,
      findings,
      checkpoints,
    };
    await writeReport(args, run, log);
    if (args.recordAs !== undefined) await recordAudit(stores.store, ranEvent(run), args.recordAs);
    process.stdout.write((args.json ? renderJson : renderText)(result, findings, timing));
    if (findings.total() > 0) return 1;
    return isCompleteAudit(result) ? 0 : 3;
  } finally {
    progress.clear();
  }
}

function createFindingsPrinter(
  { json, shopId }: AuditArguments,
  progress: ReturnType<typeof createTerminalProgress>,
): Findings {
  const out = json ? process.stderr : process.stdout;
  return createFindings((finding) => {
    progress.clear();
    if (!json || process.stderr.isTTY) out.write(findingLine(finding));
  }, shopId);
}

function findingLine({ rule, stream, revision, message }: AuditFinding): string {
  const location = revision === undefined ? stream : `${stream} revision ${revision}`;
  return `${rule}  ${location}: ${message}\n`;
}
