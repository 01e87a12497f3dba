import { loadConfig } from '#shared/platform/config/load.ts';
import { createProgress } from '#shared/platform/progress.ts';
import { audit } from '../audit.ts';
import { seriesIn } from '../log/chain/series.ts';
import { createFindings, type Finding, type Findings } from '../report/findings/findings.ts';
import { isComplete } from '../report/audit-summary.ts';
import type { Run } from '../report/run.ts';
import { readArguments, usage, type Arguments } from './arguments.ts';
import { holdCheckpoints, type KeySettings } from './checkpoints.ts';
import { writeReport, writeFailure } from './write-report.ts';
import { failedEvent, ranEvent, record } from './record.ts';
import { readReportKeys } from './callback-keys.ts';
import { renderJson, renderText } from './render.ts';
import { connectStores, type AuditedStores } from './stores.ts';

/** Runs one audit as the command line asks. @returns the exit code */
export async function runAudit(argv: readonly string[]): Promise<number> {
  const args = readArguments(argv);
  if ('help' in args) {
    process.stdout.write(usage);
    return 0;
  }
  if ('problem' in args) {
    process.stderr.write(`${args.problem}\n\n${usage}`);
    return 2;
  }
  const startedAt = new Date();
  try {
    return await auditOnce(args, startedAt);
  } catch (error) {
    const reason = messageOf(error);
    process.stderr.write(`The audit failed: ${reason}\n`);
    try {
      writeFailure(args, { startedAt, reason });
    } catch (unwritten) {
      process.stderr.write(`${messageOf(unwritten)}\n`);
    }
    return 3;
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

async function auditOnce(parsed: Arguments, startedAt: Date): Promise<number> {
  const settings = loadConfig(['DATA_DIR', 'AUDIT_SIGNING_KEY']);
  const folder = parsed.checkpointFolder;
  const stores = await connectStores(parsed);
  try {
    const args = folder === undefined ? parsed : { ...parsed, ...seriesIn(folder, startedAt) };
    return await recorded(args, startedAt, stores, () =>
      auditStores(args, { startedAt, settings, stores }),
    );
  } finally {
    await stores.close();
  }
}

/** If runs are recorded, a failed one is recorded too, if the log accepts it. */
async function recorded(
  { recordAs }: Arguments,
  startedAt: Date,
  { store }: AuditedStores,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (recordAs !== undefined)
      await record(store, failedEvent(startedAt, messageOf(error)), recordAs).catch(
        (unrecorded: unknown) => process.stderr.write(`${messageOf(unrecorded)}\n`),
      );
    throw error;
  }
}

async function auditStores(
  args: Arguments,
  {
    startedAt,
    settings,
    stores,
  }: { startedAt: Date; settings: KeySettings; stores: AuditedStores },
): Promise<number> {
  const progress = createProgress();
  const findings = createFindingsPrinter(args, progress);
  const held = holdCheckpoints(args, settings, findings);
  const reportKeys = readReportKeys();
  const { log, outside } = stores;
  try {
    const result = await audit({
      log,
      findings,
      outside,
      shopId: args.shopId,
      atMs: args.atMs,
      since: held.since,
      reportKeys,
      pace: args.pace,
      // The output of a scheduled audit is the reason of its failure.
      ...(process.stderr.isTTY && { onProgress: progress.update }),
    });
    progress.clear();
    result.notes.unshift(...held.notes);
    const checkpoints = held.close(result);
    const seconds = (Date.now() - startedAt.getTime()) / 1_000;
    const timing = { seconds, peakBytes: process.resourceUsage().maxRSS * 1_024 };
    const run: Run = {
      startedAt,
      timing,
      log: await stores.identity(),
      result,
      findings,
      checkpoints,
    };
    await writeReport(args, run, log);
    if (args.recordAs !== undefined) await record(stores.store, ranEvent(run), args.recordAs);
    process.stdout.write((args.json ? renderJson : renderText)(result, findings, timing));
    if (findings.total() > 0) return 1;
    return isComplete(result) ? 0 : 3;
  } finally {
    progress.clear();
  }
}

function createFindingsPrinter(
  { json, shopId }: Arguments,
  progress: ReturnType<typeof createProgress>,
): Findings {
  const out = json ? process.stderr : process.stdout;
  return createFindings((finding) => {
    progress.clear();
    if (!json || process.stderr.isTTY) out.write(findingLine(finding));
  }, shopId);
}

function findingLine({ rule, stream, revision, message }: Finding): string {
  const location = revision === undefined ? stream : `${stream} revision ${revision}`;
  return `${rule}  ${location}: ${message}\n`;
}
