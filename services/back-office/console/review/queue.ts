import { sql } from 'kysely';
import { z } from 'zod';
import {
  isTerminalEventType,
  operationStream,
  type OperationEventType,
} from '#shared/domain/operation/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { AdminDb } from '../../api/database.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';

export type QueueEntry = {
  operation_id: string;
  shop_id: string;
  expected_amount: string;
  currency: string;
  manual_check_reason: 'potential_fake' | 'not_terminal' | null;
  status_since: Date;
  created_at: Date;
  revision: number;
};

export type Upload = { operation_id: string; receipt_id: string; uploaded_at: Date };

/** The oldest of a longer queue. */
export const maxWaiting = 50;

/** Payments whose receipt waits for a person, oldest first. */
export async function readQueue(db: AdminDb): Promise<QueueEntry[] | 'too_long'> {
  return readSnapshot(db, async (snapshot) => {
    const { rows } = await sql<QueueEntry>`
      select operation_id::text, shop_id, expected_amount, currency, manual_check_reason, status_since, created_at, revision
      from gateway.operations where status = 'manual_check'
      order by created_at, operation_id limit ${maxWaiting}`.execute(snapshot);
    return rows;
  });
}

/** The operations that still wait by the log: the table may lag behind a recent decision. */
export async function stillWaiting(
  store: EventStore,
  waiting: readonly QueueEntry[],
): Promise<QueueEntry[]> {
  const newer = await Promise.all(
    waiting.map(({ operation_id, revision }) =>
      fromStore(store.read(operationStream(operation_id), { fromRevision: revision + 1 })),
    ),
  );
  return waiting.filter((_, index) => {
    const last = newer[index]?.findLast(({ type }) => endsReview(type) || type === startsReview);
    return last === undefined || !endsReview(last.type);
  });
}

const startsReview: OperationEventType = 'ManualCheckStarted';
const reviewDecided: OperationEventType = 'ReviewDecided';
const endsReview = (type: string): boolean => type === reviewDecided || isTerminalEventType(type);

/** The one after an operation that has left the queue, or the first. */
export async function nextWaiting(
  store: EventStore,
  waiting: readonly QueueEntry[],
  decided: string | undefined,
): Promise<QueueEntry | undefined> {
  const first = waiting[0];
  if (decided === undefined || !z.guid().safeParse(decided).success) return first;
  const [admission] = await fromStore(
    store.read(operationStream(decided.toLowerCase()), { maxCount: 1 }),
  );
  if (!admission) return first;
  const createdMs = admission.created.getTime();
  const isAfter = ({ created_at, operation_id }: QueueEntry) =>
    created_at.getTime() > createdMs ||
    (created_at.getTime() === createdMs && operation_id > decided);
  return waiting.find(isAfter) ?? first;
}

const maxTwins = 10;

/** Other uploads of the same bytes: a receipt that was used before. */
export async function readDuplicates(
  db: AdminDb,
  upload: { sha256: string; operationId: string },
): Promise<Upload[]> {
  const uploads = await readSnapshot(db, async (snapshot) => {
    const { rows } = await sql<Upload>`
      select operation_id::text, receipt_id, uploaded_at from gateway.uploaded_receipts
      where sha256 = ${upload.sha256} and operation_id <> ${upload.operationId}
      order by uploaded_at limit ${maxTwins}`.execute(snapshot);
    return rows;
  });
  return uploads === 'too_long' ? [] : uploads;
}
