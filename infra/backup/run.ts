import { setTimeout as delay } from 'node:timers/promises';
import { borrowStores } from '#infra/stores/borrow-stores.ts';
import { findRunningStack } from '#infra/stores/stack-file.ts';
import { CopyCursor } from '#infra/move/cursor.ts';
import { connectLog, type MoveLog } from '#infra/move/logs.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import type { BackupArguments } from './arguments.ts';
import { copyAvailable } from './copy-log.ts';
import type { BackupLock } from './lease.ts';
import { backupAgeMs, serveBackupMetrics, type BackupProgress } from './metrics.ts';
import { BackupRefusal } from './refusal.ts';
import { requireSameLog } from './same-log.ts';
import { BackupDamage } from './segment.ts';
import { describeTotals, readBackupStatus, writeBackupStatus } from './status.ts';
import { openWriter, type BackupWriter } from './writer.ts';

const print = (text: string) => void process.stdout.write(`${text}\n`);
const warn = (text: string) => void process.stderr.write(`${text}\n`);
const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));

type Backup = BackupArguments & {
  dataDir: string;
  progress: BackupProgress;
  signal: AbortSignal;
  /** Of the target, once it is taken. */
  lock: BackupLock | undefined;
  /** The number of the newest segment that this process has read or written. */
  known: number;
};

/** Copies as the command line specifies. @returns the exit code */
export async function runBackup(args: BackupArguments, signal: AbortSignal): Promise<number> {
  const { DATA_DIR: dataDir } = loadConfig(['DATA_DIR']);
  const progress: BackupProgress = {
    totals: { position: 0, events: 0, bytes: 0 },
    completeMs: undefined,
    sinceMs: Math.min(Date.now(), completeBefore(dataDir, args.to.name) ?? Infinity),
    failures: 0,
  };
  const backup: Backup = { ...args, dataDir, progress, signal, lock: undefined, known: 0 };
  try {
    args.to.prepare();
    await (args.once ? copyOnce(backup) : followLog(backup));
    return args.once && progress.completeMs === undefined ? interruptedBy(signal) : 0;
  } catch (error) {
    warn(errorMessage(error));
    if (error instanceof BackupDamage) return 4;
    return error instanceof BackupRefusal ? 3 : 1;
  } finally {
    await backup.lock?.release();
  }
}

/** When the copy in this target was last complete, as far as DATA_DIR has it. */
function completeBefore(dataDir: string, target: string): number | undefined {
  try {
    const status = readBackupStatus(dataDir);
    return status?.target === target ? Date.parse(status.complete_at) : undefined;
  } catch {
    // The next complete copy writes it anew.
    return undefined;
  }
}

/** The exit code of a program that a signal has ended. */
const interruptedBy = ({ reason }: AbortSignal): number => (reason === 'SIGTERM' ? 143 : 130);

async function copyOnce(backup: Backup): Promise<void> {
  backup.lock = await backup.to.lock();
  const writer = await openTarget(backup);
  const borrowed = await borrowStores(backup.dataDir, process.env, { withDatabase: false });
  try {
    const source = await connect(borrowed.eventStoreUrl);
    try {
      const copying = await openCopying(source, writer, backup);
      await copying.step();
      report(backup, backup.progress.completeMs === undefined ? 'Interrupted' : 'Copied');
    } finally {
      await source.close();
    }
  } finally {
    await borrowed.release();
  }
}

const answerWithinMs = 10_000;

async function connect(url: string): Promise<MoveLog> {
  const source = connectLog(url);
  const late = delay(answerWithinMs, undefined, { ref: false });
  const log = await Promise.race([source, late]);
  if (log) return log;
  source.then(
    ({ close }) => close(),
    () => undefined,
  );
  throw new Error("the event store can't be reached: no answer within 10 s");
}

/** Reads the end of the copy: also while the log does not answer, its age is known. */
async function openTarget(backup: Backup): Promise<BackupWriter> {
  const { to, progress, dataDir } = backup;
  const isHeld = () => backup.lock?.isHeld() ?? Promise.resolve(false);
  const writer = await openWriter(to.store, { isHeld }, backup.known);
  recordTotals(backup, writer);
  const writtenAt = writer.last()?.header.written_at;
  if (writtenAt !== undefined && completeBefore(dataDir, to.name) === undefined)
    progress.sinceMs = Math.min(progress.sinceMs, Date.parse(writtenAt));
  return writer;
}

function recordTotals(backup: Backup, writer: BackupWriter): void {
  backup.progress.totals = writer.totals();
  backup.known = writer.last()?.header.sequence ?? 0;
}

/** Continues at the end of the copy. @throws BackupRefusal if it is one of another log */
async function openCopying(source: MoveLog, writer: BackupWriter, backup: Backup) {
  const { to, progress, signal, dataDir } = backup;
  await requireSameLog(source, to.store, writer.last()?.header.sequence ?? 0);
  const cursor = new CopyCursor(source.raw, writer.totals().position);
  const onWritten = () => recordTotals(backup, writer);
  let unrecorded: string | undefined;
  return {
    /** Copies what there is now. */
    step: async (): Promise<void> => {
      const beganMs = Date.now();
      // Under a steady load a copy without an end would never be complete.
      const until = await source.raw.head();
      const options = { signal, until, holdMs: to.pollMs, onWritten };
      await copyAvailable(source, { cursor, writer }, options);
      if (signal.aborted) return;
      progress.completeMs = beganMs;
      const status = { target: to.name, totals: progress.totals, completeMs: beganMs };
      const problem = writeBackupStatus(dataDir, status);
      if (problem !== unrecorded && problem !== undefined) warn(problem);
      unrecorded = problem;
    },
    close: () => cursor.close(),
  };
}

function report({ progress }: Backup, what: string): void {
  const { totals, completeMs } = progress;
  const ageMs = completeMs === undefined ? undefined : Date.now() - completeMs;
  print(`${what}: ${describeTotals(totals, ageMs)}`);
}

const retryEveryMs = 500;
const reportEveryMs = 10_000;
/** Each is printed once in an outage. */
const mostReasons = 50;

/** Follows the log until the signal, over any outage of either side. */
async function followLog(backup: Backup): Promise<void> {
  const { signal } = backup;
  const reports = setInterval(createReport(backup), reportEveryMs);
  signal.addEventListener('abort', () => clearInterval(reports));
  const stopServing = await serveBackupMetrics(backup.progress);
  const warned = new Set<string>();
  const onStep = () => warned.clear();
  while (!signal.aborted) {
    try {
      await followUntilFailure(backup, onStep);
    } catch (error) {
      if (error instanceof BackupRefusal || error instanceof BackupDamage) throw error;
      backup.progress.failures += 1;
      const reason = withoutTimes(errorMessage(error));
      if (warned.size === mostReasons) warned.clear();
      if (!signal.aborted && !warned.has(reason)) warn(`${errorMessage(error)}: trying again …`);
      warned.add(reason);
    }
    await delay(retryEveryMs, undefined, { signal }).catch(() => undefined);
  }
  await stopServing();
  report(backup, 'Stopped');
}

/** A client's message may have the time of its attempt, by which each would be another reason. */
const withoutTimes = (message: string) => message.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');

/** Reports what is new, and while the copy is behind, how old it is. */
function createReport(backup: Backup): () => void {
  let reported = 0;
  return () => {
    const { totals } = backup.progress;
    const isBehind = backupAgeMs(backup.progress) > reportEveryMs;
    if (isBehind || totals.position !== reported)
      report(backup, isBehind ? 'Behind the log' : 'Copied');
    reported = totals.position;
  };
}

async function followUntilFailure(backup: Backup, onStep: () => void): Promise<void> {
  const { dataDir, signal, to } = backup;
  backup.lock ??= await to.lock();
  const writer = await openTarget(backup);
  // A restart of the gateway may have another port.
  const url = process.env['EVENT_STORE_URL'] || findRunningStack(dataDir)?.env['EVENT_STORE_URL'];
  if (!url) throw new Error(`no gateway runs on ${dataDir}, and EVENT_STORE_URL is not set`);
  const source = await connect(url);
  try {
    const copying = await openCopying(source, writer, backup);
    await copying.step();
    report(backup, `Following the log; in ${to.name}`);
    while (!signal.aborted) {
      onStep();
      await delay(to.pollMs, undefined, { signal }).catch(() => undefined);
      await copying.step();
    }
    await copying.close();
  } finally {
    await source.close();
  }
}
