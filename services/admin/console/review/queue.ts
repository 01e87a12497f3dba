import { sql } from 'kysely';
import type { AdminDb } from '../../database.ts';
import { look } from '../read.ts';

export type Waiting = {
  operation_id: string;
  shop_id: string;
  expected_amount: string;
  currency: string;
  manual_check_reason: 'potential_fake' | 'not_terminal' | null;
  status_since: Date;
};

export type Upload = { operation_id: string; receipt_id: string; uploaded_at: Date };

/** Longer queues are worked off from their beginning. */
export const maxWaiting = 50;

/** Payments whose receipt waits for a person, the one that was created first at the top. */
export async function readQueue(db: AdminDb): Promise<Waiting[] | 'too_long'> {
  return look(db, async (snapshot) => {
    const { rows } = await sql<Waiting>`
      select operation_id::text, shop_id, expected_amount, currency, manual_check_reason, status_since
      from gateway.operations where status = 'manual_check'
      order by created_at, operation_id limit ${maxWaiting}`.execute(snapshot);
    return rows;
  });
}

const maxTwins = 10;

/** Other uploads of the same bytes: a receipt that was used before. */
export async function readTwins(
  db: AdminDb,
  upload: { sha256: string; operationId: string },
): Promise<Upload[]> {
  const found = await look(db, async (snapshot) => {
    const { rows } = await sql<Upload>`
      select operation_id::text, receipt_id, uploaded_at from gateway.uploaded_receipts
      where sha256 = ${upload.sha256} and operation_id <> ${upload.operationId}
      order by uploaded_at limit ${maxTwins}`.execute(snapshot);
    return rows;
  });
  return found === 'too_long' ? [] : found;
}
