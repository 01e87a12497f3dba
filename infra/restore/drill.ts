import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '#infra/process/free-port.ts';
import { startUntilReady } from '#infra/process/start-process.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { preparePostgres } from '#infra/postgres/launch.ts';
import { readSecretsFile } from '#infra/stores/secrets-file.ts';
import { connectLog } from '#infra/move/logs.ts';
import { readModels } from '#projections/registry.ts';
import { rebuild } from '#projections/rebuild/rebuild.ts';
import { runnerMigrations } from '#projections/runner/migrations.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { recordAllWebhooks } from '#services/webhooks/ingest/record-all.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { describeAge } from '#infra/backup/status.ts';
import { compareWithCheckpoint, readNamedCheckpoint } from './checkpoint.ts';
import { compareWebhooks, type WebhookComparison } from './compare-webhooks.ts';
import { withNode } from './data-dir.ts';
import { restoreLog } from './restore-log.ts';
import { createBackupSource } from './source.ts';
import type { RestoreArguments } from './arguments.ts';
import { verifyBackup } from './verify.ts';

type Step = { step: string; seconds: number; held: boolean; detail: string };

/** What a drill has found. */
type DrillReport = {
  from: string;
  at: string;
  held: boolean;
  /** How old the newest object of the copy is, and its newest event. */
  rpo_seconds: number;
  newest_event_at: string;
  /** From the first step to the last. */
  rto_seconds: number;
  steps: Step[];
  /** What differed, as far as it is listed. */
  differences: string[];
};

type Drill = { args: RestoreArguments; folder: string; report: DrillReport; signal: AbortSignal };

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Restores into a temporary folder, and checks all that follows from it. @returns if all held */
export async function runDrill(args: RestoreArguments, signal: AbortSignal): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-drill-'));
  const report: DrillReport = {
    from: args.from.name,
    at: new Date().toISOString(),
    held: false,
    rpo_seconds: 0,
    newest_event_at: '',
    rto_seconds: 0,
    steps: [],
    differences: [],
  };
  const drill = { args, folder, report, signal };
  const beganAt = performance.now();
  try {
    await rehearse(drill);
    report.held = report.steps.every(({ held }) => held) && report.differences.length === 0;
  } catch (error) {
    report.differences.push(error instanceof Error ? error.message : String(error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  report.rto_seconds = round((performance.now() - beganAt) / 1_000);
  printReport(report);
  if (args.report !== undefined) writeFileSync(args.report, `${JSON.stringify(report, null, 2)}\n`);
  return report.held;
}

const round = (seconds: number) => Math.round(seconds * 1_000) / 1_000;

function printReport({ held, rpo_seconds: rpo, rto_seconds: rto, differences }: DrillReport): void {
  for (const difference of differences) print(`differs: ${difference}`);
  print(`RPO ${describeAge(rpo * 1_000)}: the age of the newest object of the copy`);
  print(`RTO ${rto.toFixed(1)} s: from the first step to the last`);
  print(held ? 'The drill held.' : 'The drill did not hold.');
}

/** Times one step, and prints it. */
async function timeStep<Result extends { held?: boolean; detail: string }>(
  { report }: Drill,
  step: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const beganAt = performance.now();
  const result = await work();
  const seconds = round((performance.now() - beganAt) / 1_000);
  const { held = true, detail } = result;
  report.steps.push({ step, seconds, held, detail });
  print(`${step}: ${seconds.toFixed(1)} s, ${detail}`);
  return result;
}

async function rehearse(drill: Drill): Promise<void> {
  const { args, folder, report, signal } = drill;
  const { verified } = await timeStep(drill, 'verify', async () => {
    const found = await verifyBackup(args.from.store);
    return { verified: found, detail: `${found.segments} objects, ${found.events} events` };
  });
  const checkpoint = readNamedCheckpoint(args);
  if (checkpoint)
    await timeStep(drill, 'compare with the checkpoint', async () => {
      const { lacking, detail } = await compareWithCheckpoint(
        args.from.store,
        verified,
        checkpoint,
      );
      if (lacking > 0) report.differences.push(detail);
      return { held: lacking === 0, detail };
    });
  report.rpo_seconds = round((Date.now() - Date.parse(verified.writtenAt)) / 1_000);
  report.newest_event_at = verified.newestAt;
  await withNode(join(folder, 'event-store'), async (eventStoreUrl) => {
    await timeStep(drill, 'restore the log', async () => {
      const target = await connectLog(eventStoreUrl);
      const source = createBackupSource(args.from.store, verified, args.untilMs);
      const end = verified.ends.at(-1) ?? 0;
      const restored = await restoreLog(source, target, { signal, end });
      await target.close();
      return { detail: `${restored.events} events, digest ${restored.digest}` };
    });
    await withPostgres(join(folder, 'postgres'), (databaseUrl) =>
      checkRestored(drill, { eventStoreUrl, databaseUrl }),
    );
  });
}

async function withPostgres(folder: string, work: (url: string) => Promise<void>): Promise<void> {
  const watchdog = startWatchdog();
  const prepared = await preparePostgres({ folder, port: await findFreePort() });
  const server = await startUntilReady(prepared, { watchdog });
  try {
    await work(prepared.url);
  } finally {
    await server.stop(15_000);
    await watchdog.close();
  }
}

type StoreUrls = { eventStoreUrl: string; databaseUrl: string };

async function checkRestored(drill: Drill, urls: StoreUrls): Promise<void> {
  const { report } = drill;
  await timeStep(drill, 'rebuild the read models', () => rebuildAll(urls));
  await timeStep(drill, 'derive the webhooks', () => deriveWebhooks(drill, urls));
  await timeStep(drill, 'audit', async () => {
    // A copy of the log has no receipts.
    const args = ['--json', '--quiet', '--without-receipts'];
    const { code, output } = await runScript('services/audit/main.ts', args, drill, urls);
    if (code !== 0)
      report.differences.push(`the audit ended with ${code}: ${output.slice(-2_000)}`);
    return { held: code === 0, detail: `exit code ${code}, files of receipts not compared` };
  });
}

async function rebuildAll({ eventStoreUrl, databaseUrl }: StoreUrls) {
  const target = await connectLog(eventStoreUrl);
  const db = connectDatabase<unknown>(databaseUrl, { applicationName: 'gateway-drill' });
  const logger = createLogger('projections', 'warn');
  try {
    await migrate(db, runnerMigrations);
    // Some views read them.
    await migrateWebhooks(db);
    for (const model of readModels) await rebuild({ db, store: target.store, model, logger });
    return { detail: `${readModels.length} read models` };
  } finally {
    await db.destroy();
    await target.close();
  }
}

async function deriveWebhooks({ report }: Drill, { eventStoreUrl, databaseUrl }: StoreUrls) {
  const target = await connectLog(eventStoreUrl);
  const db = connectDatabase<WebhooksDatabase>(databaseUrl, { applicationName: 'gateway-drill' });
  try {
    const count = await recordAllWebhooks(target.store, db);
    const compared = await compareWebhooks(db, target.store);
    // A drill on another machine than the gateway's has nothing to compare with.
    if (compared === undefined)
      return { detail: `${count} derived, not compared: set DATABASE_URL of the gateway to do so` };
    report.differences.push(...compared.differences);
    const held = compared.different === 0;
    return { held, detail: describeWebhooks(count, compared) };
  } finally {
    await db.destroy();
    await target.close();
  }
}

const describeWebhooks = (derived: number, { equal, newer, different }: WebhookComparison) =>
  `${derived} derived, ${equal} equal to the recorded ones, ${different} differ, ${newer} recorded ones are newer than the copy`;

/** Runs a program of the project on the restored stores, with the keys that verify the log. */
function runScript(
  path: string,
  args: readonly string[],
  { folder }: Drill,
  { eventStoreUrl, databaseUrl }: StoreUrls,
): Promise<{ code: number; output: string }> {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const keys = process.env['LOG_SIGNING_KEYS'] || readSecretsFile(DATA_DIR)['LOG_SIGNING_KEYS'];
  const env = {
    ...process.env,
    DATA_DIR: folder,
    EVENT_STORE_URL: eventStoreUrl,
    DATABASE_URL: databaseUrl,
    ...(keys && { LOG_SIGNING_KEYS: keys }),
  };
  const script = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [script, ...args],
      { env, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr }),
    );
  });
}
