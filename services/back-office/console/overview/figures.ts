import { sql, type Kysely } from 'kysely';
import { lastStarts } from '#shared/application/pages/zone.ts';
import type { AdminDatabase } from '../../api/database.ts';

/** What the overview covers: the last day by the hour, or the last month by the day. */
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
  /** Of the newest messages, at most `newestMessages`, in the range. */
  messages: number;
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
export const countedAtMost = 10_000;

/** Where the buckets begin: whole hours or days of the zone, the last one still running. */
export const startsOf = (range: RangeName, now: { nowMs: number; zone: string }): Date[] =>
  lastStarts(ranges[range].unit, { count: ranges[range].count, ...now });

/** Every bucket, also those in which nothing happened. */
function everyBucket<Row extends object>(
  rows: readonly (Row & { bucket: number })[],
  { starts, empty }: { starts: readonly Date[]; empty: Row },
): (Row & { at: Date })[] {
  const byBucket = new Map(rows.map(({ bucket, ...row }) => [bucket, row as unknown as Row]));
  return starts.map((at, index) => ({ ...(byBucket.get(index + 1) ?? empty), at }));
}

const bucketOf = (column: 'created_at' | 'ended_at', starts: readonly Date[]) =>
  sql`width_bucket(${sql.ref(column)}, ${starts}::timestamptz[])`;

/** Operations created in each bucket, and their current statuses. */
export async function readFlow(
  db: Kysely<AdminDatabase>,
  starts: readonly Date[],
): Promise<Flow[]> {
  const { rows } = await sql<
    Record<'payments' | 'payouts' | 'accepted' | 'paid' | 'ended', string> & { bucket: number }
  >`
    select ${bucketOf('created_at', starts)} as bucket,
      count(*) filter (where type = 'payment') as payments,
      count(*) filter (where type = 'payout') as payouts,
      count(accepted_at) as accepted,
      count(*) filter (where status in ('completed', 'partially_completed')) as paid,
      count(ended_at) as ended
    from gateway.operations where created_at >= ${starts[0]} group by 1`.execute(db);
  const counted = rows.map(({ bucket, ...counts }) => ({
    bucket,
    payments: Number(counts.payments),
    payouts: Number(counts.payouts),
    accepted: Number(counts.accepted),
    paid: Number(counts.paid),
    ended: Number(counts.ended),
  }));
  const empty = { payments: 0, payouts: 0, accepted: 0, paid: 0, ended: 0 };
  return everyBucket(counted, { starts, empty });
}

/** How long what ended in each bucket had taken from its admission. */
export async function readDurations(
  db: Kysely<AdminDatabase>,
  starts: readonly Date[],
): Promise<Duration[]> {
  const { rows } = await sql<{ bucket: number; ended: string; shares: number[] }>`
    select ${bucketOf('ended_at', starts)} as bucket, count(*) as ended,
      percentile_cont(array[0.5, 0.9, 0.99]) within group
        (order by extract(epoch from ended_at - created_at)::float8) as shares
    from gateway.operations where ended_at >= ${starts[0]} and accepted_at is not null group by 1`.execute(
    db,
  );
  const measured = rows.map(({ bucket, ended, shares: [p50 = null, p90 = null, p99 = null] }) => ({
    bucket,
    ended: Number(ended),
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
  type Row = Record<'pending' | 'exhausted' | 'messages' | 'attempts' | 'succeeded', string> &
    Record<'p50' | 'p99', number | null>;
  const { rows } = await sql<Row>`
    with newest as (
      select * from (select message_id, created_at, finished_at, status from webhooks.message
        order by ordinal desc limit ${newestMessages}) as newest where created_at >= ${from}
    ), tried as (
      select count(*) as attempts, count(*) filter (where status_code between 200 and 299) as succeeded
      from newest join webhooks.attempt using (message_id)
    ), took as (
      select count(*) as messages, percentile_cont(array[0.5, 0.99]) within group
        (order by extract(epoch from finished_at - created_at)::float8) filter (where status = 'delivered') as shares
      from newest
    )
    select attempts, succeeded, messages, shares[1] as p50, shares[2] as p99,
      (select count(*) from (select from webhooks.message where status = 'pending' limit ${countedAtMost}) as few) as pending,
      (select count(*) from (select from webhooks.message where status = 'exhausted' limit ${countedAtMost}) as few) as exhausted
    from tried, took`.execute(db);
  const [row] = rows;
  return {
    pending: Number(row?.pending ?? 0),
    exhausted: Number(row?.exhausted ?? 0),
    messages: Number(row?.messages ?? 0),
    attempts: Number(row?.attempts ?? 0),
    succeeded: Number(row?.succeeded ?? 0),
    p50: row?.p50 ?? null,
    p99: row?.p99 ?? null,
  };
}

/** What needs attention now. */
export async function readTotals(db: Kysely<AdminDatabase>): Promise<Totals> {
  const { rows } = await sql<Record<'open' | 'manual_check' | 'suspense' | 'negative', string>>`
    select
      (select count(*) from (select from gateway.operations where status in ('creating', 'pending', 'awaiting_confirmation', 'manual_check') limit ${countedAtMost}) as few) as open,
      (select count(*) from (select from gateway.operations where status = 'manual_check' limit ${countedAtMost}) as few) as manual_check,
      (select count(*) from (select from gateway.suspense where status = 'open' limit ${countedAtMost}) as few) as suspense,
      (select count(*) from (select from gateway.ledgers where balance < 0 limit ${countedAtMost}) as few) as negative`.execute(
    db,
  );
  const [row] = rows;
  return {
    open: Number(row?.open ?? 0),
    manualCheck: Number(row?.manual_check ?? 0),
    suspense: Number(row?.suspense ?? 0),
    negative: Number(row?.negative ?? 0),
  };
}
