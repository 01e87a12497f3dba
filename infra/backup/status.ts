import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateJson, writePrivateJson } from '#infra/stores/private-json.ts';
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

/** Of the newest backup of a DATA_DIR; undefined if none was made. */
export const readBackupStatus = (dataDir: string): BackupStatus | undefined =>
  readPrivateJson(statusFile(dataDir), statusSchema);

/** Records for `npm start` how old the newest copy is. */
export function writeBackupStatus(
  dataDir: string,
  { target, totals, completeMs }: { target: string; totals: BackupTotals; completeMs: number },
): void {
  if (!existsSync(dataDir)) return;
  const status: BackupStatus = {
    target,
    ...totals,
    complete_at: new Date(completeMs).toISOString(),
  };
  writePrivateJson(statusFile(dataDir), status);
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
