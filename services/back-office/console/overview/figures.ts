import { sql, type Kysely } from 'kysely';
import { lastStarts } from '#shared/application/pages/zone.ts';
import type { AdminDatabase } from '../../api/database.ts';

/** The period of the overview: the last day by the hour, or the last month by the day. */
const ranges = {
  day: { unit: 'hour', count: 24 },
  month: { unit: 'day', count: 30 },
} as const;
export type RangeName = keyof typeof ranges;

export type Flow = {
  /** When the bucket begins. */
  at: Date;
  payments: number;
  payouts: number;
  accepted: number;
  /** Ended with money. */
  paid: number;
  ended: number;
};

/** How long operations that ended in the bucket had taken, in seconds; null where none ended. */
export type Duration = {
  at: Date;
  ended: number;
  p50: number | null;
  p90: number | null;
  p99: number | null;
};

export type WebhookHealth = {
  pending: number;
  exhausted: number;
  /** Counted over the newest messages in the range, at most `newestMessages`. */
  attempts: number;
  succeeded: number;
  p50: number | null;
  p99: number | null;
};

export type Totals = {
  open: number;
  manualCheck: number;
  suspense: number;
  /** Ledgers whose balance is below zero. */
  negative: number;
};

const newestMessages = 2_000;
/** More are not counted one by one. */
export const maxCounted = 10_000;

/** The starts of the buckets: whole hours or days of the zone, the last one still running. */
export const bucketStarts = (range: RangeName, now: { nowMs: number; zone: string }): Date[] =>
  lastStarts(ranges[range].unit, { count: ranges[range].count, ...now });

/** Every bucket, also those in which nothing happened. */
function everyBucket<Row extends object>(
  rows: readonly (Row & { bucket: number })[],
  { starts, empty }: { starts: readonly Date[]; empty: Row },
): (Row & { at: Date })[] {
  const byBucket = new Map(rows.map(({ bucket, ...row }) => [bucket, row as unknown as Row]));
  return starts.map((at, index) => ({ ...(byBucket.get(index + 1) ?? empty), at }));
}

const bucketNumber = (column: 'created_at' | 'ended_at', starts: readonly Date[]) =>
  sql`width_bucket(${sql.ref(column)}, ${starts}::timestamptz[])`;

function onlyRow<Row>([row]: readonly Row[]): Row {
  if (!row) throw new Error('an aggregate has one row');
  return row;
}

/** Operations created in each bucket, and their current statuses. */
export async function readFlow(
  db: Kysely<AdminDatabase>,
  starts: readonly Date[],
): Promise<Flow[]> {
  const { rows } = await sql<Omit<Flow, 'at'> & { bucket: number }>`
    select ${bucketNumber('created_at', starts)} as bucket,
      count(*) filter (where type = 'payment')::int as payments,
      count(*) filter (where type = 'payout')::int as payouts,
      count(accepted_at)::int as accepted,
      count(*) filter (where status in ('completed', 'partially_completed'))::int as paid,
      count(ended_at)::int as ended
    from gateway.operations where created_at >= ${starts[0]} group by 1`.execute(db);
  const empty = { payments: 0, payouts: 0, accepted: 0, paid: 0, ended: 0 };
  return everyBucket<Omit<Flow, 'at'>>(rows, { starts, empty });
}

/** The time from admission to end of the operations that ended in each bucket. */
export async function readDurations(
  db: Kysely<AdminDatabase>,
  starts: readonly Date[],
): Promise<Duration[]> {
  const { rows } = await sql<{ bucket: number; ended: number; shares: number[] }>`
    select ${bucketNumber('ended_at', starts)} as bucket, count(*)::int as ended,
      percentile_cont(array[0.5, 0.9, 0.99]) within group
        (order by extract(epoch from ended_at - created_at)::float8) as shares
    from gateway.operations where ended_at >= ${starts[0]} and accepted_at is not null group by 1`.execute(
    db,
  );
  const measured = rows.map(({ shares: [p50 = null, p90 = null, p99 = null], ...row }) => ({
    ...row,
    p50,
    p90,
    p99,
  }));
  const empty: Omit<Duration, 'at'> = { ended: 0, p50: null, p90: null, p99: null };
  return everyBucket<Omit<Duration, 'at'>>(measured, { starts, empty });
}

/** Webhook delivery: pending and failed messages, and the attempts of the newest ones. */
export async function readWebhookHealth(
  db: Kysely<AdminDatabase>,
  from: Date,
): Promise<WebhookHealth> {
  const { rows } = await sql<WebhookHealth>`
    with newest as (
      select * from (select message_id, created_at, finished_at, status from webhooks.message
        order by ordinal desc limit ${newestMessages}) as newest where created_at >= ${from}
    ), tried as (
      select count(*)::int as attempts,
        count(*) filter (where status_code between 200 and 299)::int as succeeded
      from newest join webhooks.attempt using (message_id)
    ), took as (
      select percentile_cont(array[0.5, 0.99]) within group
        (order by extract(epoch from finished_at - created_at)::float8) filter (where status = 'delivered') as shares
      from newest
    )
    select attempts, succeeded, shares[1] as p50, shares[2] as p99,
      (select count(*)::int from (select from webhooks.message where status = 'pending' limit ${maxCounted}) as few) as pending,
      (select count(*)::int from (select from webhooks.message where status = 'exhausted' limit ${maxCounted}) as few) as exhausted
    from tried, took`.execute(db);
  return onlyRow(rows);
}

/** What needs attention now. */
export async function readTotals(db: Kysely<AdminDatabase>): Promise<Totals> {
  const { rows } = await sql<Totals>`
    select
      (select count(*)::int from (select from gateway.operations where status in ('creating', 'pending', 'awaiting_confirmation', 'manual_check') limit ${maxCounted}) as few) as open,
      (select count(*)::int from (select from gateway.operations where status = 'manual_check' limit ${maxCounted}) as few) as "manualCheck",
      (select count(*)::int from (select from gateway.suspense where status = 'open' limit ${maxCounted}) as few) as suspense,
      (select count(*)::int from (select from gateway.ledgers where balance < 0 limit ${maxCounted}) as few) as negative`.execute(
    db,
  );
  return onlyRow(rows);
}
