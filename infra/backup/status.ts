import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateJson, writePrivateJson } from '#infra/stores/private-json.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import type { BackupTotals } from './writer.ts';

const statusSchema = z.object({
  target: z.string(),
  position: z.number(),
  events: z.number(),
  bytes: z.number(),
  /** When the copy last had everything that was acknowledged. */
  complete_at: z.iso.datetime(),
});
type BackupStatus = z.infer<typeof statusSchema>;

const statusFile = (dataDir: string) => join(dataDir, 'backup.json');

/** Of the newest backup of a DATA_DIR; undefined if none was made. @throws if it is unreadable */
export const readBackupStatus = (dataDir: string): BackupStatus | undefined =>
  readPrivateJson(statusFile(dataDir), statusSchema);

/** How old the newest copy of the log is, in words; a file that can't be read fails no start. */
export function describeNewestBackup(dataDir: string, nowMs: number): string {
  let status: BackupStatus | undefined;
  try {
    status = readBackupStatus(dataDir);
  } catch (error) {
    return `age unknown (${errorMessage(error)})`;
  }
  if (status === undefined) return 'none; to make one: npm run backup -- --to <folder>';
  return `${describeAge(nowMs - Date.parse(status.complete_at))} old, in ${status.target}`;
}

/** Records for `npm start` how old the newest copy is. @returns why it could not, if so */
export function writeBackupStatus(
  dataDir: string,
  { target, totals, completeMs }: { target: string; totals: BackupTotals; completeMs: number },
): string | undefined {
  if (!existsSync(dataDir)) return undefined;
  const status: BackupStatus = {
    target,
    ...totals,
    complete_at: new Date(completeMs).toISOString(),
  };
  try {
    writePrivateJson(statusFile(dataDir), status);
    return undefined;
  } catch (error) {
    return `the age of the copy is not recorded for npm start: ${errorMessage(error)}`;
  }
}

/** The figures of a copy in one line. */
export const describeTotals = (
  { position, events, bytes }: BackupTotals,
  ageMs: number | undefined,
): string =>
  `position ${position}, ${events} events, ${bytes} bytes, age ${ageMs === undefined ? 'unknown' : describeAge(ageMs)}`;

export function describeAge(ageMs: number): string {
  const seconds = Math.max(0, ageMs) / 1_000;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  const hours = seconds / 3_600;
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}
