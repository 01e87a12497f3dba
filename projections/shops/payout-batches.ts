import { sql, type Kysely } from 'kysely';
import { decodePayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { defineTable, UnappliableEvent, type Batch, type RowOf } from '../read-model.ts';
import { upsertRows } from '../rows/upsert.ts';

/** A file of payouts. */
export type PayoutBatchRow = RowOf<typeof payoutBatchesTable>;

export const payoutBatchesTable = defineTable<{
  status: 'checked' | 'running' | 'done';
  total: Readonly<Record<string, string>>;
}>()({
  name: 'payout_batches',
  comment:
    'One row per file of payouts that a shop has uploaded: who uploaded and who confirmed it, and what became of its rows. Its payouts are in gateway.operations.',
  primaryKey: ['batch_id'],
  columns: {
    batch_id: {
      type: 'text',
      comment: 'Stored in streams payout-batch-<batch_id> and payout-runs',
    },
    shop_id: { type: 'text not null', references: 'shops', comment: 'The shop' },
    status: {
      type: 'text not null',
      comment: 'checked, once confirmed running, and done when each row has a result',
    },
    rows: { type: 'integer not null', comment: 'Rows of the file, without its header' },
    errors: {
      type: 'integer not null',
      comment: 'Errors of the file, at most the first 1000; with any it can’t be confirmed',
    },
    total: {
      type: 'jsonb not null',
      comment: 'By currency, the sum of the rows without an error',
    },
    file: {
      type: 'text',
      comment:
        'The file’s name and SHA-256, encrypted with the key of the shop’s files, because they may be personal; null for files before 2026-11-30. The portal shows them until an erasure destroys the key',
    },
    created: { type: 'integer not null', comment: 'Rows with a payout' },
    failed: { type: 'integer not null', comment: 'Rows for which no payout was made' },
    uploaded_by: {
      type: 'text not null',
      comment: 'Who uploaded it first: merchant:<shop_id> with an API key, member:<member_id>',
    },
    uploaded_key_id: { type: 'text', comment: 'That API key; null for a member' },
    uploaded_at: { type: 'timestamptz not null', comment: 'Time of its check' },
    confirmed_by: { type: 'text', comment: 'Who confirmed it, as in uploaded_by' },
    confirmed_at: { type: 'timestamptz', comment: 'Time of the confirmation' },
    done_at: { type: 'timestamptz', comment: 'When the last row had its result' },
    updated_at: { type: 'timestamptz not null', comment: 'Time of the newest event in this row' },
    position: { type: 'bigint not null', comment: 'Position of that event in the log' },
  },
  indexes: [{ on: 'shop_id, uploaded_at, batch_id' }],
});

/** The state of files; their rows are in separate streams, which are not read. */
export const payoutBatchPrefixes = ['payout-batch-', 'payout-runs'];

/** The batch's row after one more event. @throws for an event that can't follow */
export function projectPayoutBatch(
  before: PayoutBatchRow | undefined,
  stored: StoredEvent,
): PayoutBatchRow {
  const { type, data } = decodePayoutBatchEvent(stored);
  const { actor, key_id: keyId = null } = stored.metadata;
  const newest = { updated_at: stored.created, position: stored.position.toString() };
  if (type === 'PayoutBatchChecked') {
    if (before) throw new Error('the file was checked before');
    const { errors, sealed_file: file = null, ...about } = data;
    return {
      ...about,
      errors: errors.length,
      file,
      status: 'checked',
      created: 0,
      failed: 0,
      uploaded_by: actor,
      uploaded_key_id: keyId,
      uploaded_at: stored.created,
      confirmed_by: null,
      confirmed_at: null,
      done_at: null,
      ...newest,
    };
  }
  if (!before) throw new Error(`a file begins with PayoutBatchChecked, not with ${type}`);
  if (type === 'PayoutBatchConfirmed') {
    // An earlier version could confirm a batch again just after its end.
    if (before.confirmed_by !== null) return { ...before, ...newest };
    const confirmed = { confirmed_by: actor, confirmed_at: stored.created };
    return { ...before, status: 'running', ...confirmed, ...newest };
  }
  if (type !== 'PayoutBatchRowsCreated') return { ...before, ...newest };
  const failed = before.failed + data.results.filter(({ code }) => code !== undefined).length;
  const created = before.created + before.failed + data.results.length - failed;
  const isDone = created + failed >= before.rows;
  const done = isDone && ({ status: 'done', done_at: stored.created } as const);
  return { ...before, created, failed, ...done, ...newest };
}

/** A batch has two streams, whose order is that of the log. */
export async function applyPayoutBatches({ tx, schema, events }: Batch): Promise<void> {
  const ours = events.filter(({ stream }) =>
    payoutBatchPrefixes.some((prefix) => stream.startsWith(prefix)),
  );
  if (ours.length === 0) return;
  const readBatchId = ({ data }: StoredEvent) => String((data as { batch_id?: unknown }).batch_id);
  const ids = [...new Set(ours.map(readBatchId))];
  const { rows } = await sql<PayoutBatchRow>`
    select * from ${sql.id(schema, payoutBatchesTable.name)} where batch_id = any(${ids})`.execute(
    tx,
  );
  const known = new Map(rows.map((row) => [row.batch_id, row]));
  const changed = new Map<string, PayoutBatchRow>();
  for (const event of ours) {
    const id = readBatchId(event);
    const before = known.get(id);
    if (before && event.position <= BigInt(before.position)) continue;
    try {
      const after = projectPayoutBatch(before, event);
      known.set(id, after);
      changed.set(id, after);
    } catch (cause) {
      throw new UnappliableEvent(event, cause);
    }
  }
  await upsertRows(tx, { table: payoutBatchesTable, schema, rows: [...changed.values()] });
}

/** A shop's file; undefined where the read model has none. */
export async function findPayoutBatch<DB>(
  db: Kysely<DB>,
  { shopId, batchId }: { shopId: string; batchId: string },
): Promise<PayoutBatchRow | undefined> {
  const { rows } = await sql<PayoutBatchRow>`
    select * from gateway.payout_batches
    where shop_id = ${shopId} and batch_id = ${batchId}`.execute(db);
  return rows[0];
}

/** The shop's newest files. */
export async function listPayoutBatches<DB>(
  db: Kysely<DB>,
  { shopId, limit }: { shopId: string; limit: number },
): Promise<PayoutBatchRow[]> {
  const { rows } = await sql<PayoutBatchRow>`
    select * from gateway.payout_batches where shop_id = ${shopId}
    order by uploaded_at desc, batch_id desc limit ${limit}`.execute(db);
  return rows;
}
