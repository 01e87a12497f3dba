import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Overdue } from '../../metrics.ts';
import type { Claim, Verdict } from '../due-work.ts';
import type { DueTable, ProcessorDatabase } from './tables.ts';

type Db = Kysely<ProcessorDatabase>;

export async function claimDue(
  db: Db,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<Claim[]> {
  const token = randomUUID();
  const { rows } = await sql<Pick<DueTable, 'stream' | 'heard_at' | 'revision' | 'asks' | 'tries' | 'done'>>`
    update processor.due set lease_token = ${token}, lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where stream in (
      select stream from processor.due
      where due_at <= now() and (lease_until is null or lease_until < now())
        and exists (select from processor.feed where caught_up)
      order by due_at
      limit ${limit}
      for update skip locked
    )
    returning stream, heard_at, revision, asks, tries, done`.execute(db);
  return rows.map(({ heard_at, ...row }) => ({ token, heardAt: heard_at, ...row }));
}

export async function renew(db: Db, claims: readonly Claim[], leaseMs: number): Promise<void> {
  // Waiting for locks on several rows could end in a deadlock with the feed, which takes them in its own order.
  await sql`
    update processor.due set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where stream in (
      select stream from processor.due
      where stream = any(${claims.map(({ stream }) => stream)})
        and lease_token = any(${claims.map(({ token }) => token)}::uuid[])
      for update skip locked
    )`.execute(db);
}

export async function release(db: Db, claim: Claim, { revision, next }: Verdict): Promise<void> {
  const mine = sql`stream = ${claim.stream} and lease_token = ${claim.token}`;
  // What stands elsewhere stands, whatever else is new.
  const done = sql`array(select distinct unnest(done || ${next?.done ?? []}::text[]))`;
  const settled = next
    ? sql`update processor.due set due_at = ${next.dueAt}, heard_at = ${next.heardAt}, asks = ${next.asks},
            tries = ${next.tries}, revision = ${revision}, last_error = ${next.error ?? null}, done = ${done},
            lease_token = null, lease_until = null
          where ${mine} and revision <= ${revision}`
    : sql`delete from processor.due where ${mine} and revision <= ${revision}`;
  const { numAffectedRows } = await settled.execute(db);
  if (numAffectedRows === 0n)
    await sql`
      update processor.due set lease_token = null, lease_until = null, done = ${done} where ${mine}`.execute(
      db,
    );
}

export async function overdue(db: Db): Promise<Overdue> {
  const { rows } = await sql<{ count: number; age_ms: number }>`
    select count(*)::float8 as count,
      coalesce(extract(epoch from now() - min(due_at)) * 1000, 0)::float8 as age_ms
    from processor.due where due_at <= now()`.execute(db);
  return { streams: rows[0]?.count ?? 0, oldestAgeMs: rows[0]?.age_ms ?? 0 };
}
