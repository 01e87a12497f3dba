import { startCopying } from '#infra/move/move.ts';
import { isCopied, type CopySource, type MoveLog } from '#infra/move/logs.ts';
import { hostsAndDatabase } from '#infra/stores/stores-file.ts';
import { BackupRefusal } from '#infra/backup/refusal.ts';
import { BackupDamage } from '#infra/backup/segment.ts';
import { createTerminalProgress } from '#shared/platform/progress.ts';

const outageMs = 60_000;

/** @throws BackupRefusal if the store has an event that is not the server's own */
export async function requireEmptyLog({ raw }: Pick<MoveLog, 'raw'>, url: string): Promise<void> {
  for await (const events of raw.read(0))
    if (events.some(isCopied))
      throw new BackupRefusal(`${hostsAndDatabase(url)} is not empty: name an empty event store.`);
}

/**
 * Writes the events of a copy to an empty log, as a move does, reads them back and compares them.
 * @returns how many, and the digest of those that are stored for good
 */
export async function restoreLog(
  source: CopySource,
  target: MoveLog,
  { signal, end }: { signal: AbortSignal; end: number },
): Promise<{ events: number; digest: string }> {
  const progress = createTerminalProgress();
  const onProgress = (copied: { events: number; position: number }) =>
    progress.update({ ...copied, until: end });
  const copying = startCopying({ source, target }, { signal, onProgress });
  try {
    await copying.copyRest(outageMs);
    signal.throwIfAborted();
    const digest = copying.digest();
    if (digest.source !== digest.target)
      throw new BackupDamage(`The digests differ: ${digest.source} and ${digest.target}.`);
    return { events: copying.events(), digest: digest.source };
  } finally {
    progress.clear();
    await copying.close().catch(() => undefined);
  }
}
