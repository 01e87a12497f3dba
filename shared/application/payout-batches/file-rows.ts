import { setImmediate as turn } from 'node:timers/promises';
import type { CheckedBatch } from '#shared/domain/payout-batch/decide.ts';
import type { StoredRow } from '#shared/domain/payout-batch/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { CreateBody } from '../create-body/body.ts';
import { openRow, readRows } from './batches.ts';
import { openWaitingRows, type WaitingFilePorts, type WaitingRows } from './waiting-files.ts';

/** A row of a file with its number, as programs count (`toSheetRow`). */
export type FileRow = Omit<StoredRow, 'sealed'> & {
  row: number;
  /** With number, name and bank; undefined once erased. @throws when the key can't be read */
  open(): Promise<CreateBody | undefined>;
};

/**
 * Every row of a file that was checked without errors, in its order. The event loop has a turn
 * after each 50.
 * @returns undefined where rows are no longer stored, or can't be read any more
 * @throws Problem not_ready when a store does not answer
 */
export async function readFileRows(
  ports: WaitingFilePorts,
  { checked }: CheckedBatch,
): Promise<FileRow[] | undefined> {
  const { batch_id: batchId, shop_id: shopId } = checked;
  const waiting = await openWaitingRows(ports, { shopId, batchId });
  const rows = waiting ? await readWaiting(waiting) : await readRecorded(ports, batchId);
  return rows.length === checked.rows ? rows : undefined;
}

async function readWaiting(waiting: WaitingRows): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for (let at = 0; at < waiting.chunks; at += 1) {
    for (const body of (await waiting.chunk(at).catch(noneIfDamaged)) ?? [])
      rows.push({ ...body, row: rows.length + 1, open: async () => body });
    await turn();
  }
  return rows;
}

/** Damaged rows are lost for good: who confirms them is told to send the file again. */
function noneIfDamaged(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'confirmation_not_expected') return undefined;
  throw error;
}

async function readRecorded(
  { store, personal }: Pick<WaitingFilePorts, 'store' | 'personal'>,
  batchId: string,
): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for (let read = -1; read !== 0;) {
    const next = await readRows(store, { batchId, after: rows.length });
    for (const row of next)
      rows.push({ ...row.stored, row: row.row, open: () => openRow(personal, batchId, row) });
    read = next.length;
    await turn();
  }
  return rows;
}
