import { BackupRefusal } from '#infra/backup/refusal.ts';
import { describeTotals } from '#infra/backup/status.ts';
import { connectLog } from '#infra/move/logs.ts';
import type { RestoreArguments } from './arguments.ts';
import { compareWithCheckpoint, readNamedCheckpoint } from './checkpoint.ts';
import { withNewLog } from './data-dir.ts';
import { runDrill } from './drill.ts';
import { requireEmptyLog, restoreLog } from './restore-log.ts';
import { createBackupSource } from './source.ts';
import { verifyBackup, type VerifiedBackup } from './verify.ts';

const print = (text: string) => void process.stdout.write(`${text}\n`);
const warn = (text: string) => void process.stderr.write(`${text}\n`);
const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Restores as the command line specifies. @returns the exit code */
export async function runRestore(args: RestoreArguments, signal: AbortSignal): Promise<number> {
  try {
    if (args.into === undefined) return (await runDrill(args, signal)) ? 0 : 1;
    await restore(args, args.into, signal);
    return 0;
  } catch (error) {
    warn(signal.aborted ? 'Stopped: nothing is restored.' : errorMessage(error));
    return error instanceof BackupRefusal ? 3 : 1;
  }
}

async function restore(
  args: RestoreArguments,
  into: NonNullable<RestoreArguments['into']>,
  signal: AbortSignal,
): Promise<void> {
  const checkpoint = readNamedCheckpoint(args);
  const write = async (url: string) => {
    const target = await connectLog(url);
    try {
      await requireEmptyLog(target, url);
      const verified = await verifyBackup(args.from.store);
      print(`Verified ${verified.segments} objects: ${describeBackup(verified)}`);
      if (checkpoint)
        print(
          `Compared: ${(await compareWithCheckpoint(args.from.store, verified, checkpoint)).detail}`,
        );
      const source = createBackupSource(args.from.store, verified, args.untilMs);
      const end = verified.ends.at(-1) ?? 0;
      const restored = await restoreLog(source, target, { signal, end });
      print(
        `Restored ${restored.events} events. Of those that are stored for good the digest is ${restored.digest}, on both sides.`,
      );
    } finally {
      await target.close();
    }
  };
  await ('url' in into ? write(into.url) : withNewLog(into.dataDir, write));
}

function describeBackup({ ends, events, bytes, writtenAt }: VerifiedBackup): string {
  const position = ends.at(-1) ?? 0;
  return describeTotals({ position, events, bytes }, Date.now() - Date.parse(writtenAt));
}
